// What all controllers do alike with the keys of their objects: a work queue gathers them, and `sync` works on many at
// a time, on each key once at a time (client/workers.h). Work begins when the mirrors that a decision needs have listed
// everything. While the mirrors do not show what the last sync of a key wrote, the key is not synced: it is looked at
// again when the mirrors change, which adds it, and after five seconds in any case. A sync that fails, by its result or
// by an exception, is tried again, later each time, and costs no other key anything.
// Between syncs a key has a memory, until forget(). To be used on the loop only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/check.h"
#include "client/queue_metrics.h"
#include "client/work_queue.h"
#include "client/workers.h"
#include "os/log/log.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers {

using client::is_gone;
using client::Worked;

struct NoMemory {};

template <class Key, class Memory = NoMemory>
class Reconciler {
public:
    // A sync that is under way keeps the memory that it has recalled, though it may have been forgotten since.
    using MemoryRef = std::shared_ptr<Memory>;
    // Must be a coroutine function of its own, not a lambda with captures: see os/loop/task.h.
    using Sync = typename client::Workers<Key>::Work;
    // Whether the mirrors show everything that a memory has noted as written.
    using IsSeen = std::function<bool(Memory&)>;

    // What `sync` uses must outlive it; destroying it stops the work.
    Reconciler(os::Loop& loop, client::QueueMetrics metrics, std::size_t at_once_max, Sync sync, IsSeen is_seen = {},
               client::RetryDelays delays = {})
        : loop_(loop),
          metrics_(metrics),
          sync_(std::move(sync)),
          is_seen_(std::move(is_seen)),
          queue_(loop, metrics, delays),
          workers_(loop, queue_, at_once_max, [this](Key key) { return work(std::move(key)); }),
          tasks_(loop) {
        if (is_seen_) metrics_.add_report(client::kUnseenTopic, [this](auto& rows) { report_held(rows); });
    }
    ~Reconciler() { metrics_.forget_reports(); }
    Reconciler(const Reconciler&) = delete;
    Reconciler& operator=(const Reconciler&) = delete;

    // Before start(): nothing is synced until this mirror has listed its objects.
    template <class Mirror>
    void needs(Mirror& mirror) {
        waits_.push_back([&mirror] { return mirror.wait_synced(); });
    }
    void start() { tasks_.spawn(run()); }
    template <class... Mirrors>
    void start_after(Mirrors&... mirrors) {
        (needs(mirrors), ...);
        start();
    }

    void add(const Key& key) { queue_.add(key); }
    void add_after(const Key& key, Duration delay) { queue_.add_after(key, delay); }
    // Nothing is known that is still to be done.
    bool idle() const { return queue_.idle(); }

    // The memory of the key; what `make` gives, or an empty one, when there is none.
    template <class Make>
    MemoryRef recall(const Key& key, Make make) {
        const auto known = memory_.find(key);
        if (known != memory_.end()) return known->second;
        const MemoryRef made = memory_.emplace(key, make()).first->second;
        // A memory takes the mirrors' epochs when it is asked (controllers/unseen.h): before its first write.
        if (is_seen_) CHECK(is_seen_(*made), "a new memory has nothing to wait for");
        return made;
    }
    MemoryRef recall(const Key& key) {
        return recall(key, [] { return std::make_shared<Memory>(); });
    }
    void forget(const Key& key) {
        memory_.erase(key);
        held_.erase(key);
    }
    // Null when there is none.
    MemoryRef find(const Key& key) const {
        const auto known = memory_.find(key);
        return known == memory_.end() ? nullptr : known->second;
    }
    std::size_t remembered() const { return memory_.size(); }

private:
    static constexpr Duration kStaleRetry = 5s;
    static constexpr int kSyncVerbosity = 5;

    os::Task<void> run() {
        for (const auto& wait : waits_) co_await wait();
        workers_.start();
    }
    os::Task<Worked> work(Key key) {
        const auto known = memory_.find(key);
        const bool stale = known != memory_.end() && is_seen_ && !is_seen_(*known->second);
        if (stale) return try_later(std::move(key));
        if (!held_.empty()) held_.erase(key);
        return os::log_is_on(kSyncVerbosity) ? logged(std::move(key)) : sync_(std::move(key));
    }
    os::Task<Worked> logged(Key key) {
        const Duration began = loop_.uptime();
        const Worked worked = co_await sync_(key);
        LOG_INFO(kSyncVerbosity, "Synced", {"queue", metrics_.name()}, {"key", client::key_value(key)},
                 {"result", name_of(worked)}, {"took", loop_.uptime() - began});
        co_return worked;
    }
    static const char* name_of(Worked worked) {
        return worked == Worked::kDone ? "done" : worked == Worked::kRetry ? "retry" : "later";
    }
    os::Task<Worked> try_later(Key key) {
        queue_.add_after(key, kStaleRetry);
        held_.try_emplace(key, loop_.uptime());
        LOG_INFO(4, "Waits for its own writes to be seen", {"queue", metrics_.name()}, {"key", client::key_value(key)},
                 {"awaits", awaited_by(key)});
        co_return Worked::kLater;
    }

    // In words, of a memory that has what controllers/unseen.h is for.
    std::string awaited_by(const Key& key) const {
        const auto known = memory_.find(key);
        if (known == memory_.end()) return {};
        const Memory& memory = *known->second;
        std::string out;
        const auto add = [&out](const std::string& part) {
            if (!part.empty()) out += (out.empty() ? "" : ", ") + part;
        };
        if constexpr (requires { memory.jobs.awaited(""); }) add(memory.jobs.awaited("jobs"));
        if constexpr (requires { memory.pods.awaited(""); }) add(memory.pods.awaited("pods"));
        if constexpr (requires { memory.releases.awaited(""); }) add(memory.releases.awaited("released pods"));
        if constexpr (requires { memory.workloads.awaited(""); }) add(memory.workloads.awaited("workloads"));
        return out;
    }
    void report_held(client::Inspection::Rows& rows) const {
        std::size_t room = client::Inspection::kRowsMax;
        for (const auto& [key, since] : held_)
            if (room > 0 && room--)
                rows.push_back(
                    {{"key", client::key_value(key)}, {"for", loop_.uptime() - since}, {"awaits", awaited_by(key)}});
    }

    os::Loop& loop_;
    client::QueueMetrics metrics_;
    const Sync sync_;
    const IsSeen is_seen_;
    std::vector<std::function<os::Task<void>()>> waits_;
    client::WorkQueue<Key> queue_;
    std::map<Key, MemoryRef> memory_;
    std::map<Key, Duration> held_;  // keys whose own writes are not seen yet, since when
    client::Workers<Key> workers_;
    os::TaskScope tasks_;
};

}  // namespace muster::controllers
