// One event of a watch as bytes: which of them a client sees, given its selectors, and how it is written. An event that
// many watch is encoded once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "os/http/http.h"
#include "os/machine/byte_budget.h"
#include "server/rest/call.h"
#include "store/history.h"

namespace muster::server {

enum class WatchType : std::uint8_t { kAdded, kModified, kDeleted };

struct VisibleEvent {
    WatchType type;
    KindObjectPtr
        object;  // as the client sees it: what left its view comes with its last content and the event's version
};

// What a watch of that kind with those selectors shows of an event; nothing when it never saw the object.
// Leaving the selection is a deletion and entering it an addition.
std::optional<VisibleEvent> visible_event(const store::Event& event, const api::KindInfo& kind, const ListQuery& list);

// {"type":"ADDED","object":…} and a line's end; protobuf is framed by its length.
std::string encode_event(WatchType type, const KindObject& object, const Presentation& as, bool first_table);
// Only a version: everything up to it was sent. `initial_end` marks the end of the first state.
std::string encode_bookmark(const api::KindInfo& kind, store::Revision revision, bool initial_end,
                            const Presentation& as, bool first_table);
std::string encode_error_event(const Error& error, const Presentation& as);

// What was encoded lately, found by revision, type and form. On the loop. The budget must outlive it.
class EncodedEvents {
public:
    explicit EncodedEvents(os::ByteBudget& budget) : budget_(budget) {}
    os::SharedBytes encode(const store::Event& event, const VisibleEvent& visible, const Presentation& as);

private:
    struct Slot {
        std::uint64_t key = 0;
        const api::KindInfo* kind = nullptr;
        os::SharedBytes bytes{};
    };
    // For a watcher that is further behind than this, events are encoded again.
    std::array<Slot, 4096> slots_{};
    static constexpr std::size_t kBytesMax = 8u << 20;  // of all slots; then they are emptied
    std::size_t bytes_ = 0;
    os::ByteBudget& budget_;
};

// Events one behind the other. Those who watch the same are mostly given the same, so what was joined lately is shared.
// On the loop.
class JoinedEvents {
public:
    explicit JoinedEvents(os::ByteBudget& budget) : budget_(budget) {}
    // There must be one.
    os::SharedBytes join(const std::vector<os::SharedBytes>& events);

private:
    struct Slot {
        std::vector<os::SharedBytes> events{};
        os::SharedBytes bytes{};
    };
    std::array<Slot, 4> slots_{};
    std::size_t next_ = 0;
    os::ByteBudget& budget_;
};

}  // namespace muster::server
