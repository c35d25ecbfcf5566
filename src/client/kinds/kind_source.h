// The kinds whose objects a client can read, for controllers that handle objects of every kind: the garbage collector
// and the namespace controller. Kinds come and go while they run. The embedded server gives its registry, and a client
// of a cluster can give what discovery says. Used on the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "api/schema/kind_info.h"

namespace muster::client {

class KindSource {
public:
    using Kinds = std::vector<const api::KindInfo*>;
    using Listener = std::function<void()>;
    // Destroying it ends the calls.
    class Listening {
    public:
        virtual ~Listening() = default;
    };

    virtual ~KindSource() = default;
    // The kinds that are stored now: declared kinds in the order of their list, then the defined ones. A kind whose
    // definition has changed has another handle.
    virtual Kinds stored() const = 0;
    // Calls the listener after each change of `stored`, until the result is destroyed.
    virtual std::unique_ptr<Listening> listen(Listener listener) const = 0;
};

// The declared kinds alone, which never change.
const KindSource& declared_kinds();

// The listeners of a source. A listener may add and end listeners, itself too.
class KindListeners {
public:
    std::unique_ptr<KindSource::Listening> add(KindSource::Listener listener);
    void call() const;

private:
    struct Table {
        std::map<std::uint64_t, KindSource::Listener> listeners;
        std::uint64_t last = 0;
    };
    class Place;
    std::shared_ptr<Table> table_ = std::make_shared<Table>();
};

}  // namespace muster::client
