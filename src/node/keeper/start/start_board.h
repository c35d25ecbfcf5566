// What is being started, in memory that outlives the keeper (os/process/guardian.h): a run stands here from before its
// start is written down until its process is. Of a keeper that is killed in between, the next learns whether the
// program ran, and as which process; nothing else could tell of one that has ended by then.
//
// A run that finds no place (kPlaces, a name that is too long) is started all the same, and is lost in that case.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace muster::node {

class StartBoard {
public:
    struct Place {
        std::atomic<int> pid{0};        // 0 until the program runs
        std::atomic<unsigned> size{0};  // of the name; 0 when the place is free
        char name[120] = {};
    };
    static constexpr std::size_t kPlaces = 1024;
    static constexpr std::size_t kBytes = kPlaces * sizeof(Place);

    // The memory has kBytes, zero or another board's, and outlives it. What that noted stays until `clear`.
    explicit StartBoard(std::span<std::byte> memory);

    // Null when there is none.
    Place* take(std::string_view name);
    void free(Place* place);

    // The process of a run that was noted: 0 when its program has not run. Nothing when it was not noted.
    std::optional<int> find(std::string_view name) const;
    bool has(int pid) const;
    void clear();

private:
    std::span<Place> places_;
    std::vector<Place*> free_;
};

}  // namespace muster::node
