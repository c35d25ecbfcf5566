// Changes of which no answer came, so that they may have happened. Until that is known, the mirror must not be believed
// about the object: it shows it as it was before, and what is decided from that may take back what the change needs.
// Such a change is of one version of the object and can happen to no other. So it is made again: when that succeeds it
// has happened once, and when the object has changed the mirror will show how.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "client/client.h"
#include "client/mirror.h"
#include "client/workers.h"
#include "controllers/unseen.h"
#include "os/loop/task.h"

namespace muster::controllers {

// Whether a write that failed so may have happened nevertheless.
inline bool may_have_happened(const Error& error) {
    switch (error.code) {
        case Code::kTimeout:
        case Code::kUnavailable:
        case Code::kInternal:
        case Code::kIo: return true;
        default: return false;
    }
}

template <class K>
class Unanswered {
public:
    void add(client::Ref<K> before, client::Ref<K> after) { changes_.push_back({std::move(before), std::move(after)}); }

    // Whether the mirror does not show what became of one.
    bool open_in(const client::Mirror<K>& mirror) {
        std::erase_if(changes_, [&](const Change& one) {
            const client::Ref<K> now = mirror.get(client::name_of(*one.before));
            return !now || !(now->metadata.uid == one.before->metadata.uid) ||
                   !(now->metadata.resource_version == one.before->metadata.resource_version);
        });
        return !changes_.empty();
    }

    // Until all are answered; an error while one is not. What happened is noted as written.
    os::Task<Result<void>> repeat(client::Client& client, Unseen<K>& unseen) {
        while (!changes_.empty()) {
            const Change one = changes_.front();
            K draft = *one.after;
            const auto done = co_await client.change<K>(one.before, std::move(draft));
            if (done.ok())
                unseen.wrote(**done);
            else if (client::is_gone(done.error()))
                unseen.removed(*one.before);
            else if (done.error().code == Code::kConflict || may_have_happened(done.error()))
                co_return done.error();
            changes_.erase(changes_.begin());  // a refusal says that the object is still as the mirror shows it
        }
        co_return Result<void>();
    }

private:
    struct Change {
        client::Ref<K> before;
        client::Ref<K> after;
    };
    std::vector<Change> changes_;
};

}  // namespace muster::controllers
