// Empties namespaces that are being deleted: tells every object in it to go, pods first and with their grace, and
// the rest when they are gone; says in the namespace's conditions what is left, and gives up the namespace's finalizer
// when nothing is. The server then lets it go. Everything is read afresh: what was created last must not be overlooked.
// The kinds are those that its client has at that time.
#pragma once

#include <string>
#include <vector>

#include "api/kinds/core/namespace.h"
#include "api/kinds/core/pod.h"
#include "client/client.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "controllers/namespace/decide.h"
#include "controllers/reconciler.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers {

struct NamespaceOptions {
    std::vector<const api::KindInfo*> kinds{};  // these alone; none: all of the client's with namespaces
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
    bool idle() const { return reconciler_.idle(); }

private:
    using NamespaceRef = client::Ref<api::core::Namespace>;
    struct Memory {
        int attempts = 0;  // to empty it
    };

    os::Task<Worked> sync(Text name);
    os::Task<Worked> carry_out(NamespaceRef namespace_, NamespacePlan plan);
    using Kinds = std::vector<const api::KindInfo*>;
    Kinds kinds() const;
    // What is left of each kind after it was told to go: of pods alone while any of them is waited for.
    os::Task<std::vector<RemainingContent>> empty(NamespaceRef namespace_, Kinds kinds);
    os::Task<RemainingContent> empty_kind(const api::KindInfo* kind, NamespaceRef namespace_);
    os::Task<Result<RemainingContent>> count_kind(const api::KindInfo* kind, std::string name);
    os::Task<Result<void>> remove_all(const api::KindInfo* kind, NamespaceRef namespace_);
    // kConflict when another of its name is there.
    os::Task<Result<void>> check_still_there(NamespaceRef namespace_);

    os::Loop& loop_;
    client::Client& client_;
    NamespaceOptions options_;
    client::Mirror<api::core::Namespace> mirror_;
    Reconciler<Text, Memory> reconciler_;
};

}  // namespace muster::controllers
