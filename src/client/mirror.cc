#include "client/mirror.h"

namespace muster::client {
namespace {

std::shared_ptr<MirrorSource> find_source(os::Loop& loop, Client& client, const api::KindInfo& kind, Client::View view,
                                          MirrorSource::MetadataOf metadata_of, std::string_view labels) {
    if (SharedMirrors* shared = client.shared_mirrors()) return shared->source(kind, view, metadata_of, labels);
    return std::make_shared<MirrorSource>(loop, client, kind, view, metadata_of);
}

}  // namespace

AnyMirror::AnyMirror(os::Loop& loop, Client& client, const api::KindInfo& kind, Client::View view,
                     MetadataOf metadata_of, std::string_view labels)
    : source_(find_source(loop, client, kind, view, metadata_of, labels)) {}

AnyMirror::~AnyMirror() {
    if (started_) source_->remove(*this);
}

void AnyMirror::start() {
    started_ = true;
    source_->add(*this);
}

AnyObject AnyMirror::get(const ObjectName& name) const {
    const auto found = all().find(name);
    return found == all().end() ? nullptr : found->second;
}

const AnyMirror::Bucket& AnyMirror::indexed(IndexId index, const Text& key) const {
    static const Bucket kNone;
    const auto& buckets = indexes_[index].buckets;
    const auto found = buckets.find(key);
    return found == buckets.end() ? kNone : found->second;
}

void AnyMirror::on_change(const ObjectName& name, const AnyObject& before, const AnyObject& now) {
    for (Index& index : indexes_) {
        const Text from = before ? index.key(before.get()) : Text();
        const Text to = now ? index.key(now.get()) : Text();
        if (!from.empty() && !(from == to)) {
            const auto bucket = index.buckets.find(from);
            bucket->second.erase(name);
            if (bucket->second.empty()) index.buckets.erase(bucket);
        }
        if (!to.empty()) index.buckets[to].insert_or_assign(name, now);
    }
    for (const Change& listener : listeners_) listener(before, now);
}

}  // namespace muster::client
