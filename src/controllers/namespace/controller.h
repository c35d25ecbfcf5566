// Empties namespaces that are being deleted: tells every object in it to go, pods first and with their grace, and
// the rest when they are gone; says in the namespace's conditions what is left, and gives up the namespace's finalizer
// when nothing is. The server then lets it go. Everything is read afresh: what was created last must not be overlooked.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/kinds/core/namespace.h"
#include "api/kinds/core/pod.h"
#include "client/client.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "client/work_queue.h"
#include "controllers/deletable_kinds.h"
#include "controllers/namespace/decide.h"
#include "controllers/workers.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers {

struct NamespaceOptions {
    std::vector<const api::KindInfo*> kinds = namespaced_kinds();
    // How long to wait for creations that other servers of a cluster still let through.
    Duration first_delay{0};
    std::size_t removals_at_once_max = 512;
};

class NamespaceController {
public:
    // All must outlive the controller; destroying it stops it.
    NamespaceController(os::Loop& loop, client::Client& client, client::Metrics& metrics,
                        NamespaceOptions options = {});

    void start();
    bool idle() const { return queue_.idle(); }

private:
    using NamespaceRef = client::Ref<api::core::Namespace>;

    os::Task<Worked> sync(Text name);
    os::Task<Worked> carry_out(NamespaceRef namespace_, NamespacePlan plan);
    // What is left of each kind after it was told to go: of pods alone while any of them is waited for.
    os::Task<std::vector<RemainingContent>> empty(NamespaceRef namespace_);
    os::Task<RemainingContent> empty_kind(const api::KindInfo* kind, NamespaceRef namespace_);
    os::Task<Result<RemainingContent>> count_kind(const api::KindInfo* kind, std::string name);
    os::Task<Result<void>> remove_all(const api::KindInfo* kind, NamespaceRef namespace_);
    // kConflict when another of its name is there.
    os::Task<Result<void>> check_still_there(NamespaceRef namespace_);

    os::Loop& loop_;
    client::Client& client_;
    NamespaceOptions options_;
    client::WorkQueue<Text> queue_;
    client::Mirror<api::core::Namespace> mirror_;
    Workers<Text> workers_;
    std::map<Text, int> attempts_;  // by the namespace's name, while it is being emptied
};

}  // namespace muster::controllers
