// A local copy of a kind's objects: listed once, then updated by a watch, with indexes for frequent lookups. It may lag
// behind the server, so after a write the caller waits for `reached` before its next decision.
// The list and the watch belong to a source (client/mirror_source.h), which the mirrors of one process may share. Each
// mirror has its own indexes and listeners.
#pragma once

#include <functional>
#include <unordered_map>

#include "client/mirror_source.h"

namespace muster::client {

class AnyMirror final : MirrorSource::Viewer {
public:
    using MetadataOf = MirrorSource::MetadataOf;
    using IndexKey = std::function<Text(const void* object)>;
    using Change = std::function<void(const AnyObject& before, const AnyObject& now)>;
    using Bucket = MirrorSource::Objects;
    using IndexId = std::size_t;

    // Looks at the source that the client shares with others, at one of its own otherwise.
    // With labels ("a=b,c") its owner needs only the objects that have them; it may be shown others, too.
    AnyMirror(os::Loop& loop, Client& client, const api::KindInfo& kind, Client::View view, MetadataOf metadata_of,
              std::string_view labels = {});
    ~AnyMirror() override;
    AnyMirror(const AnyMirror&) = delete;
    AnyMirror& operator=(const AnyMirror&) = delete;

    // Both before start().
    IndexId add_index(IndexKey key) {
        indexes_.push_back({std::move(key), {}});
        return indexes_.size() - 1;
    }
    void on_change(Change listener) { listeners_.push_back(std::move(listener)); }
    void start();

    bool synced() const { return started_ && source_->synced(); }
    os::Task<void> wait_synced() { return source_->wait_synced(); }
    // Everything up to that version has been seen.
    bool reached(std::uint64_t version) const { return source_->reached(version); }
    bool reached(const AwaitedVersion& awaited) const { return source_->reached(awaited); }
    std::uint64_t version() const { return source_->version(); }
    std::uint64_t epoch() const { return source_->epoch(); }
    os::Task<void> wait_reached(std::uint64_t version) { return source_->wait_reached(version); }

    const Bucket& all() const { return source_->objects(); }
    AnyObject get(const ObjectName& name) const;
    const Bucket& indexed(IndexId index, const Text& key) const;

private:
    struct Index {
        IndexKey key;
        std::unordered_map<Text, Bucket> buckets;
    };

    void on_change(const ObjectName& name, const AnyObject& before, const AnyObject& now) override;

    const std::shared_ptr<MirrorSource> source_;
    std::vector<Index> indexes_;
    std::vector<Change> listeners_;
    bool started_ = false;
};

template <class K>
class Mirror {
public:
    using Change = std::function<void(const Ref<K>& before, const Ref<K>& now)>;  // null: was not there, is gone
    using IndexId = AnyMirror::IndexId;

    // Both must outlive it; destroying it stops it.
    Mirror(os::Loop& loop, Client& client, std::string_view labels = {})
        : any_(
              loop, client, api::kind_info<K>(), Client::View::kObject,
              [](const void* object) -> const api::meta::ObjectMeta& {
                  return static_cast<const K*>(object)->metadata;
              },
              labels) {}

    // Objects are found under what `key` gives for them; under nothing when it gives an empty text. Before start().
    IndexId add_index(std::function<Text(const K&)> key) {
        return any_.add_index(
            [key = std::move(key)](const void* object) { return key(*static_cast<const K*>(object)); });
    }
    void on_change(Change listener) {
        any_.on_change([listener = std::move(listener)](const AnyObject& before, const AnyObject& now) {
            listener(std::static_pointer_cast<const K>(before), std::static_pointer_cast<const K>(now));
        });
    }
    void start() { any_.start(); }
    bool synced() const { return any_.synced(); }
    os::Task<void> wait_synced() { return any_.wait_synced(); }
    bool reached(std::uint64_t version) const { return any_.reached(version); }
    bool reached(const AwaitedVersion& awaited) const { return any_.reached(awaited); }
    std::uint64_t version() const { return any_.version(); }
    std::uint64_t epoch() const { return any_.epoch(); }
    os::Task<void> wait_reached(std::uint64_t version) { return any_.wait_reached(version); }

    Ref<K> get(const ObjectName& name) const { return std::static_pointer_cast<const K>(any_.get(name)); }
    std::size_t size() const { return any_.all().size(); }
    // In the order of namespaces and names.
    std::vector<Ref<K>> all() const { return typed(any_.all()); }
    std::vector<Ref<K>> indexed(IndexId index, const Text& key) const { return typed(any_.indexed(index, key)); }

private:
    static std::vector<Ref<K>> typed(const AnyMirror::Bucket& bucket) {
        std::vector<Ref<K>> out;
        out.reserve(bucket.size());
        for (const auto& [name, object] : bucket) out.push_back(std::static_pointer_cast<const K>(object));
        return out;
    }
    AnyMirror any_;
};

}  // namespace muster::client
