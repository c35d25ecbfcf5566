// One list and watch of a kind's objects, and its viewers: mirrors (client/mirror.h). All mirrors of a kind that use
// the same SharedMirrors share one source, so that a change is received once, however many mirrors there are.
// A watch that ends is resumed from the last version seen. After a gap (client/mirror_course.h) everything is listed
// again and the difference is reported as changes, so that every viewer gets the last state of each object.
// A list with a lower version than seen before starts a new epoch: the server's data was restored from a backup, and
// versions of the time before mean nothing any more.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "client/client.h"
#include "client/mirror_course.h"
#include "client/queue_metrics.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::client {

// The resource version as a number, which is how Kubernetes makes them; 0 when it is not one.
std::uint64_t parse_version(std::string_view resource_version);

// A version that a mirror has to show before its owner decides again. What was awaited in an epoch that has passed is
// awaited no longer.
struct AwaitedVersion {
    std::uint64_t version = 0;
    std::uint64_t epoch = 0;
};

class MirrorSource {
public:
    // Told what the operator should know, in a sentence.
    using Log = std::function<void(std::string_view)>;
    using MetadataOf = const api::meta::ObjectMeta& (*)(const void* object);
    using Objects = std::map<ObjectName, AnyObject>;

    class Viewer {
    public:
        virtual ~Viewer() = default;
        // Null before: it was not there; null now: it is gone. Must not add or remove viewers.
        virtual void on_change(const ObjectName& name, const AnyObject& before, const AnyObject& now) = 0;
    };

    // `restored` is called when versions went back, before any viewer is told of it; it must not destroy the source.
    MirrorSource(os::Loop& loop, Client& client, const api::KindInfo& kind, Client::View view, MetadataOf metadata_of,
                 Log log = {}, std::function<void()> restored = {});

    // Before the first viewer is added.
    void count_in(ReflectorMetrics metrics) { metrics_ = metrics; }
    // Shows it what is there already, and then each change. The first one starts the source.
    void add(Viewer& viewer);
    void remove(Viewer& viewer);

    bool synced() const { return synced_; }
    os::Task<void> wait_synced();
    // Everything up to that version has been seen.
    bool reached(std::uint64_t version) const { return version <= version_; }
    bool reached(const AwaitedVersion& awaited) const { return awaited.epoch != epoch_ || reached(awaited.version); }
    os::Task<void> wait_reached(std::uint64_t version);
    // The newest version that was seen.
    std::uint64_t version() const { return version_; }
    // How often versions went back.
    std::uint64_t epoch() const { return epoch_; }
    const Objects& objects() const { return objects_; }
    const api::KindInfo& kind() const { return kind_; }
    // How often everything was listed.
    std::uint64_t listings() const { return listings_; }
    Client::View view() const { return view_; }
    // By the loop's uptime: when it became synced (or was made, before that), and when it last heard of its server.
    Duration synced_at() const { return synced_at_; }
    Duration heard_at() const { return heard_at_; }

private:
    os::Task<void> run();
    os::Task<void> follow();
    // Counts the events in `count`.
    os::Task<Result<void>> read_events(std::size_t& count);
    os::Task<void> list_all();
    void begin_epoch(std::uint64_t version);
    void drop_unlisted(const std::vector<AnyObject>& listed);
    // False: its version is lower than one before it.
    bool take(const AnyEvent& event);
    void put(const AnyObject& object, bool even_if_same);
    void drop(const ObjectName& name);
    void tell(const ObjectName& name, const AnyObject& before, const AnyObject& now);

    os::Loop& loop_;
    Client& client_;
    const api::KindInfo& kind_;
    const Client::View view_;
    const MetadataOf metadata_of_;
    Objects objects_;
    std::vector<Viewer*> viewers_;
    bool started_ = false;
    bool synced_ = false;
    MirrorCourse course_;
    const Log log_;
    const std::function<void()> restored_;
    std::uint64_t version_ = 0;
    std::uint64_t epoch_ = 0;
    std::uint64_t listings_ = 0;
    Duration synced_at_;
    Duration heard_at_;
    ReflectorMetrics metrics_;
    os::Event progress_;
    os::TaskScope tasks_;
};

// The sources of those who read through the same client. They go with their last viewer.
class SharedMirrors {
public:
    // Gives the client that reads only those objects of a kind that have the labels: "a=b,c". It must outlive the
    // mirrors. Null: `reader` reads them, and whatever else there is of the kind.
    using Select = std::function<Client*(const api::KindInfo& kind, std::string_view labels)>;

    // Both must outlive the mirrors.
    SharedMirrors(os::Loop& loop, Client& reader, MirrorSource::Log log = {}, Select select = {})
        : loop_(loop), reader_(reader), log_(std::move(log)), select_(std::move(select)) {}

    // Before the first source is made. The metrics must outlive the sources.
    void count_in(Metrics& metrics) { metrics_ = &metrics; }
    // Called when the versions of a kind went back: see MirrorSource. Before the first source is made.
    void on_restored(std::function<void()> restored) { restored_ = std::move(restored); }

    // Objects with these labels, and perhaps others; all when there are none.
    std::shared_ptr<MirrorSource> source(const api::KindInfo& kind, Client::View view,
                                         MirrorSource::MetadataOf metadata_of, std::string_view labels = {});

    // Each source that has a viewer, with the labels that it asks for.
    void for_each(const std::function<void(const MirrorSource& source, const std::string& labels)>& visit) const;
    // A row for each of them (client/report/inspection.h).
    void report(Inspection::Rows& rows) const;

private:
    struct Which {
        const api::KindInfo* kind;
        Client::View view;
        std::string labels;
        auto operator<=>(const Which&) const = default;
    };

    os::Loop& loop_;
    Client& reader_;
    const MirrorSource::Log log_;
    Metrics* metrics_ = nullptr;
    const Select select_;
    std::function<void()> restored_;
    std::map<Which, std::weak_ptr<MirrorSource>> sources_;
};

}  // namespace muster::client
