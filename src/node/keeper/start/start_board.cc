#include "node/keeper/start/start_board.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace muster::node {

static_assert(std::atomic<int>::is_always_lock_free && sizeof(StartBoard::Place) == 128);

StartBoard::StartBoard(std::span<std::byte> memory) {
    CHECK(memory.size() >= kBytes);
    // Zeroes are free places.
    places_ = {reinterpret_cast<Place*>(memory.data()), kPlaces};
    for (std::size_t i = kPlaces; i > 0; --i)
        if (places_[i - 1].size == 0) free_.push_back(&places_[i - 1]);
}

StartBoard::Place* StartBoard::take(std::string_view name) {
    if (free_.empty() || name.empty() || name.size() > sizeof Place::name) return nullptr;
    Place* place = free_.back();
    free_.pop_back();
    CHECK(place->size == 0, "a free place has no name");
    place->pid = 0;
    std::memcpy(place->name, name.data(), name.size());
    place->size = static_cast<unsigned>(name.size());
    return place;
}

void StartBoard::free(Place* place) {
    CHECK(place >= places_.data() && place < places_.data() + places_.size(), "a place of this board");
    CHECK(place->size != 0, "a place is freed once");
    place->size = 0;
    free_.push_back(place);
}

std::optional<int> StartBoard::find(std::string_view name) const {
    for (const Place& place : places_)
        if (place.size != 0 && std::string_view(place.name, place.size) == name) return place.pid.load();
    return {};
}

bool StartBoard::has(int pid) const {
    return std::any_of(places_.begin(), places_.end(),
                       [&](const Place& place) { return place.size != 0 && place.pid == pid; });
}

void StartBoard::clear() {
    for (Place& place : places_)
        if (place.size != 0) free(&place);
}

}  // namespace muster::node
