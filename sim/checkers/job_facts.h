// How checkers read Jobs and pods. It is implemented here from the API's documents and does not use the product's code,
// so that the checkers do not share its bugs.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "api/kinds/batch.h"

namespace muster::sim {

using api::batch::Job;
using api::core::Pod;

// "1,3-5": the numbers it stands for.
std::set<std::int32_t> parse_indexes(std::string_view text);
const api::batch::JobCondition* find_condition(const Job& job, std::string_view type);
bool has_condition(const Job& job, std::string_view type);
bool is_finished(const Job& job);
bool is_indexed(const Job& job);
bool is_deleting(const Job& job);

bool is_tracked(const Pod& pod);
bool has_ended(const Pod& pod);
bool is_deleting(const Pod& pod);
// -1 when it has none.
std::int32_t index_of(const Pod& pod);
// The UID of the Job that controls it; empty when none does.
Text job_uid_of(const Pod& pod);
// The exit code of its first container; -1 when it has none.
int exit_code_of(const Pod& pod);
// Whether the Job's podFailurePolicy says that this failure does not count.
bool is_ignored_failure(const Job& job, const Pod& pod);

std::set<Text> uncounted_succeeded(const Job& job);
std::set<Text> uncounted_failed(const Job& job);

std::string format_status(const Job& job);

}  // namespace muster::sim
