// Active pods that have to go though the Job goes on: those that cannot count for anything, and as many more as there
// are too many. None of them is a failure.
#pragma once

#include <cstddef>
#include <vector>

namespace muster::controllers::jobs {

struct Survey;

// Places in the survey, at least `excess` of them when so many pods are active. Of an indexed Job come first: pods
// without an index, of an index beyond completions, of one that is done or has failed, and all but the best of those
// that share an index.
std::vector<std::size_t> find_victims(const Survey& survey, std::size_t excess);

}  // namespace muster::controllers::jobs
