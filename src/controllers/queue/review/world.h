// What the rules of queueing ask of the world beside the object that is written: its namespace, its owners, queues. The
// server's admission chain answers from its store, a webhook from its mirrors.
#pragma once

#include <string_view>

#include "api/schema/kind_info.h"

namespace muster::controllers {

class QueueWorld {
public:
    virtual ~QueueWorld() = default;
    // The object of that name, null when there is none. `uid`: of the one that is meant, when that is known; the answer
    // may be another one all the same. Objects stay alive as long as this does.
    virtual const void* find_any(const api::KindInfo& kind, std::string_view namespace_, std::string_view name,
                                 std::string_view uid) = 0;

    template <class K>
    const K* find(std::string_view namespace_, std::string_view name, std::string_view uid = {}) {
        return name.empty() ? nullptr : static_cast<const K*>(find_any(api::kind_info<K>(), namespace_, name, uid));
    }
};

}  // namespace muster::controllers
