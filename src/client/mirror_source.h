// One list and watch of a kind's objects, and its viewers: mirrors (client/mirror.h). All mirrors of a kind that use
// the same SharedMirrors share one source, so that a change is received once, however many mirrors there are.
// After a gap (history expired, connection lost) it lists again and reports the difference as changes, so that every
// viewer gets the last state of each object.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "client/client.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::client {

// The resource version as a number, which is how Kubernetes makes them; 0 when it is not one.
std::uint64_t parse_version(std::string_view resource_version);

class MirrorSource {
public:
    using MetadataOf = const api::meta::ObjectMeta& (*)(const void* object);
    using Objects = std::map<ObjectName, AnyObject>;

    class Viewer {
    public:
        virtual ~Viewer() = default;
        // Null before: it was not there; null now: it is gone. Must not add or remove viewers.
        virtual void on_change(const ObjectName& name, const AnyObject& before, const AnyObject& now) = 0;
    };

    MirrorSource(os::Loop& loop, Client& client, const api::KindInfo& kind, Client::View view, MetadataOf metadata_of);

    // Shows it what is there already, and then each change. The first one starts the source.
    void add(Viewer& viewer);
    void remove(Viewer& viewer);

    bool synced() const { return synced_; }
    os::Task<void> wait_synced();
    // Everything up to that version has been seen.
    bool reached(std::uint64_t version) const { return version <= version_; }
    os::Task<void> wait_reached(std::uint64_t version);
    const Objects& objects() const { return objects_; }
    // How often everything was listed.
    std::uint64_t listings() const { return listings_; }

private:
    os::Task<void> run();
    os::Task<Result<void>> follow();
    os::Task<Result<std::string>> list_all();
    void drop_unlisted(const std::vector<AnyObject>& listed);
    void take(const AnyEvent& event);
    void put(const AnyObject& object);
    void drop(const ObjectName& name);
    void tell(const ObjectName& name, const AnyObject& before, const AnyObject& now);
    void advance(std::uint64_t version);

    os::Loop& loop_;
    Client& client_;
    const api::KindInfo& kind_;
    const Client::View view_;
    const MetadataOf metadata_of_;
    Objects objects_;
    std::vector<Viewer*> viewers_;
    bool started_ = false;
    bool synced_ = false;
    std::uint64_t version_ = 0;
    std::uint64_t listings_ = 0;
    os::Event progress_;
    os::TaskScope tasks_;
};

// The sources of those who read through the same client. They go with their last viewer.
class SharedMirrors {
public:
    // Both must outlive the mirrors.
    SharedMirrors(os::Loop& loop, Client& reader) : loop_(loop), reader_(reader) {}

    std::shared_ptr<MirrorSource> source(const api::KindInfo& kind, Client::View view,
                                         MirrorSource::MetadataOf metadata_of);

private:
    os::Loop& loop_;
    Client& reader_;
    std::map<std::pair<const api::KindInfo*, Client::View>, std::weak_ptr<MirrorSource>> sources_;
};

}  // namespace muster::client
