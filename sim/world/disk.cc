#include "sim/world/disk.h"

#include <cstring>

#include "base/reached.h"
#include "store/checksum.h"

namespace muster::sim {
namespace {

constexpr std::size_t kSector = 512;
constexpr std::size_t kHeader = 16;  // length, checksum, a mark

void put(std::string& out, std::uint64_t number) {
    char bytes[8];
    std::memcpy(bytes, &number, sizeof(bytes));
    out.append(bytes, sizeof(bytes));
}
void put(std::string& out, std::string_view bytes) {
    put(out, bytes.size());
    out.append(bytes);
}

class FrameReader {
public:
    explicit FrameReader(std::string_view bytes) : left_(bytes) {}
    std::uint64_t number() {
        std::uint64_t value = 0;
        const std::string_view bytes = take(sizeof(value));
        if (ok_) std::memcpy(&value, bytes.data(), sizeof(value));
        return value;
    }
    std::string_view bytes() { return take(number()); }
    bool ok() const { return ok_; }

private:
    std::string_view take(std::size_t size) {
        ok_ = ok_ && size <= left_.size();
        if (!ok_) return {};
        const std::string_view taken = left_.substr(0, size);
        left_.remove_prefix(size);
        return taken;
    }
    std::string_view left_;
    bool ok_ = true;
};

std::string frame_of(const std::string& body) {
    std::string frame;
    put(frame, body.size());
    put(frame, (std::uint64_t{0x5eed} << 32) | store::crc32c(body));
    return frame + body;
}

// The body of the frame at the front; nothing when it is not whole.
std::optional<std::string_view> body_at(std::string_view bytes) {
    if (bytes.size() < kHeader) return std::nullopt;
    FrameReader header(bytes.substr(0, kHeader));
    const std::uint64_t size = header.number();
    const std::uint64_t mark = header.number();
    if (mark >> 32 != 0x5eed || size > bytes.size() - kHeader) return std::nullopt;
    const std::string_view body = bytes.substr(kHeader, size);
    if (store::crc32c(body) != (mark & 0xffffffffu)) return std::nullopt;
    return body;
}

struct Record {
    store::Revision revision = 0;
    store::Revision base = 0;
    std::string own{};
    std::string status{};
};

// What the frames say when they are read one after the other.
struct Image {
    std::map<std::string, Record> records;
    std::map<std::uint64_t, std::string> parts;
    store::Revision revision = 0;

    Result<> take(std::string_view body);
    Result<> take_record(FrameReader& in);
};

Error broken(std::string_view what) { return {Code::kCorrupt, "the journal is broken: " + std::string(what)}; }

Result<> Image::take(std::string_view body) {
    FrameReader in(body);
    const store::Revision to = in.number();
    if (to <= revision) return broken("revisions do not rise");
    revision = to;
    for (std::uint64_t count = in.number(); count > 0 && in.ok(); --count)
        if (parts.erase(in.number()) != 1) return broken("a part that is not there goes");
    for (std::uint64_t count = in.number(); count > 0 && in.ok(); --count) {
        const std::uint64_t number = in.number();
        if (!parts.emplace(number, in.bytes()).second) return broken("a part is there twice");
    }
    for (std::uint64_t count = in.number(); count > 0 && in.ok(); --count) TRY(take_record(in));
    if (!in.ok()) return broken("a frame ends early");
    return {};
}

Result<> Image::take_record(FrameReader& in) {
    const std::string key(in.bytes());
    const store::Revision replaces = in.number();
    const bool present = in.number() != 0;
    const auto before = records.find(key);
    if ((before == records.end() ? 0 : before->second.revision) != replaces) return broken(key + " has a gap");
    if (!present) {
        if (before != records.end()) records.erase(before);
        return {};
    }
    Record record;
    record.revision = in.number();
    record.base = in.number();
    const bool only_status = in.number() != 0;
    record.own = in.bytes();
    record.status = in.bytes();
    if (only_status) {
        if (before == records.end() || before->second.base != record.base) return broken(key + " lacks its own half");
        record.own = std::move(before->second.own);
    }
    records[key] = std::move(record);
    return {};
}

}  // namespace

bool Disk::lose_power(Prng& random) {
    if (unsynced.empty()) return false;
    const std::uint64_t how = random.below(4);
    if (how == 0) {
        REACHED("a crash leaves what was being written, though nobody was told");
        sync();
        return true;
    }
    if (how == 1) {
        unsynced.clear();
        return false;
    }
    // Some sectors arrived: the first ones, or any.
    std::string torn = unsynced;
    std::size_t keep = random.below(torn.size() + 1);
    bool whole = keep == torn.size();
    if (how == 2) {
        torn.resize(keep);
    } else {
        whole = true;
        for (std::size_t at = 0; at < torn.size(); at += kSector) {
            if (random.chance(1, 2)) continue;
            for (std::size_t i = at; i < std::min(torn.size(), at + kSector); ++i) {
                whole = whole && torn[i] == '\0';
                torn[i] = '\0';
            }
        }
    }
    unsynced = std::move(torn);
    if (!whole) REACHED("a crash tears what was being written");
    if (whole) {
        sync();
        return true;
    }
    return false;
}

std::size_t Disk::flip_bit(Prng& random) {
    if (last_frame_at == 0) return std::string::npos;
    const std::size_t at = random.below(last_frame_at);
    synced[at] = static_cast<char>(synced[at] ^ (1 << random.below(8)));
    return at;
}

DiskJournal::DiskJournal(os::Loop& loop, os::Worker& worker, Disk& disk, std::function<bool()> sync_fails,
                         std::function<void()> on_error, OnDurable on_durable)
    : loop_(loop),
      worker_(worker),
      disk_(disk),
      sync_fails_(std::move(sync_fails)),
      on_error_(std::move(on_error)),
      on_durable_(std::move(on_durable)),
      self_(std::make_shared<DiskJournal*>(this)) {}

Result<store::Revision> DiskJournal::recover(store::Codec& codec, const Each& each) {
    Image image;
    std::string_view left = disk_.synced;
    while (!left.empty()) {
        const auto body = body_at(left);
        if (!body) return broken("a frame does not match its checksum");
        TRY(image.take(*body));
        left.remove_prefix(kHeader + body->size());
    }
    // A torn end was never acknowledged; were it whole, it would be among the synced.
    if (!disk_.unsynced.empty() && body_at(disk_.unsynced)) return broken("a whole frame was taken for a torn one");
    disk_.unsynced.clear();
    store::PartLoader loader;
    for (const auto& [number, bytes] : image.parts) loader.add(number, bytes);
    for (const auto& [key, record] : image.records) {
        TRY_ASSIGN(store::ObjectPtr object, codec.decode(key, record.revision, record.own + record.status, loader));
        each({Text(key), record.revision, record.base, std::move(object)});
    }
    TRY(loader.hand_over(parts_));
    return image.revision;
}

std::string DiskJournal::encode(const store::Group& group) {
    const std::vector<std::uint64_t> dead = parts_.take_dead(group.revision, group.newest);
    std::string records;
    for (const store::Change& change : group.changes) {
        put(records, change.key.view());
        put(records, change.replaces);
        put(records, change.object ? 1 : 0);
        if (!change.object) continue;
        const bool only_status = change.base != 0;
        store::PartWriter writer(parts_);
        if (!only_status) change.object->encode_own(writer);
        const std::string own = std::exchange(writer.bytes, {});
        change.object->encode_status(writer);
        put(records, change.revision);
        put(records, only_status ? change.base : change.revision);
        put(records, only_status ? 1 : 0);
        put(records, own);
        put(records, writer.bytes);
    }
    std::string body;
    put(body, group.revision);
    put(body, dead.size());
    for (const std::uint64_t part : dead) put(body, part);
    put(body, parts_.fresh().size());
    for (const auto& [number, bytes] : parts_.fresh()) {
        put(body, number);
        put(body, bytes);
    }
    put(body, group.changes.size());
    parts_.fresh().clear();
    parts_.look_for_dead(64 + 2 * group.changes.size());
    return body + records;
}

void DiskJournal::commit(store::Group group, os::Work durable) {
    CHECK(!busy_, "one group at a time");
    busy_ = true;
    auto moved = std::make_shared<store::Group>(std::move(group));
    worker_.run([self = self_, moved] {
        if (!*self) return;
        const std::string frame = frame_of((*self)->encode(*moved));
        Disk& disk = (*self)->disk_;
        disk.hash = store::mix64(disk.hash ^ store::hash64(frame));
        disk.unsynced = frame;
    });
    auto call = std::make_shared<os::Work>(std::move(durable));
    worker_.run([self = self_, moved, call] {
        if (!*self) return;
        DiskJournal& journal = **self;
        if (journal.sync_fails_()) {
            REACHED("a sync fails");
            journal.on_error_();
            return;
        }
        journal.disk_.sync();
        std::vector<DurableChange> changes;
        for (const store::Change& change : moved->changes)
            changes.push_back({change.key, change.revision, !change.object});
        journal.on_durable_(changes, moved->revision);
        journal.loop_.post([self, call] {
            if (!*self) return;
            (*self)->busy_ = false;
            (*call)();
        });
    });
}

}  // namespace muster::sim
