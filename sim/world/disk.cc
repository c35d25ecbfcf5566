#include "sim/world/disk.h"

#include <cstring>

#include "base/reached.h"
#include "store/checksum.h"
#include "store/loss.h"
#include "store/recovery.h"

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

// Whether the bytes end before the frame that they begin with does.
bool is_cut_short(std::string_view bytes) {
    if (bytes.size() < kHeader) return true;
    FrameReader header(bytes.substr(0, kHeader));
    return header.number() > bytes.size() - kHeader;
}

std::size_t end_of_frame(std::string_view bytes, std::size_t at) {
    return at + kHeader + FrameReader(bytes.substr(at, kHeader)).number();
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
        REACHED("a crash leaves what was being written, though it was not acknowledged");
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
    if (frames.size() < 2) return std::string::npos;
    const std::size_t at = random.below(frames.back());
    synced[at] = static_cast<char>(synced[at] ^ (1 << random.below(8)));
    return at;
}

bool Disk::lose_frames(Prng& random, std::size_t keep_frames, std::size_t frames_max) {
    if (frames.size() <= keep_frames) return false;
    const std::size_t count = 1 + random.below(std::min(frames_max, frames.size() - keep_frames));
    const std::size_t first = frames.size() - count;
    const std::size_t at = frames[first];
    const std::size_t end = first + 1 < frames.size() ? frames[first + 1] : synced.size();
    const std::size_t piece = random.chance(1, 2) ? random.below(end - at) : 0;
    if (piece != 0) REACHED("a log is cut within a group that was acknowledged");
    synced.resize(at + piece);
    frames.resize(first);
    return true;
}

namespace {

// A group without changes.
void append_empty_frame(Disk& disk, store::Revision revision) {
    std::string body;
    put(body, revision);
    for (int nothing = 0; nothing < 3; ++nothing) put(body, std::uint64_t{0});
    disk.unsynced = frame_of(body);
    disk.hash = store::mix64(disk.hash ^ store::hash64(disk.unsynced));
    disk.sync();
    disk.recorded = store::DurableMark{disk.frames.size(), revision};
}

}  // namespace

store::Revision Disk::skip_revisions(std::int64_t count) {
    const auto body = body_at(std::string_view(synced).substr(frames.back()));
    CHECK(body, "the last frame is whole");
    const store::Revision last = FrameReader(*body).number();
    synced.resize(end_of_frame(synced, frames.back()));
    append_empty_frame(*this, last + static_cast<store::Revision>(count));
    return last;
}

DiskJournal::DiskJournal(os::Loop& loop, os::Worker& worker, Disk& disk,
                         std::optional<store::Revision> accept_loss_from, std::function<bool()> sync_fails,
                         std::function<void()> on_error, OnDurable on_durable)
    : loop_(loop),
      worker_(worker),
      disk_(disk),
      accept_loss_from_(accept_loss_from),
      sync_fails_(std::move(sync_fails)),
      on_error_(std::move(on_error)),
      on_durable_(std::move(on_durable)),
      self_(std::make_shared<DiskJournal*>(this)) {}

Result<store::Revision> DiskJournal::recover(store::Codec& codec, const Each& each) {
    Image image;
    std::string_view left = disk_.synced;
    while (!left.empty()) {
        const auto body = body_at(left);
        if (!body && is_cut_short(left)) break;
        if (!body) return broken("a frame does not match its checksum");
        TRY(image.take(*body));
        left.remove_prefix(kHeader + body->size());
    }
    // A torn end was never acknowledged; were it whole, it would be among the synced.
    if (!disk_.unsynced.empty() && body_at(disk_.unsynced)) return broken("a whole frame was taken for a torn one");
    disk_.unsynced.clear();
    TRY_ASSIGN(const store::Revision revision, go_on_from(image.revision));
    store::PartLoader loader;
    for (const auto& [number, bytes] : image.parts) loader.add(number, bytes);
    store::Recovery recovery(codec, loader, each);
    for (const auto& [key, record] : image.records)
        TRY(recovery.add(key, record.revision, record.base, record.own + record.status));
    TRY(recovery.finish());
    TRY(loader.hand_over(parts_));
    return revision;
}

// As the journal on RocksDB does: when a loss is accepted, that is on disk before anything else.
Result<store::Revision> DiskJournal::go_on_from(store::Revision found) {
    store::GroupMark mark;
    mark.group = disk_.frames.size();
    mark.revision = found;
    mark.recorded = disk_.recorded.has_value();
    TRY_ASSIGN(const std::optional<store::DurableMark> lost,
               store::decide_loss("disk", {mark, disk_.recorded, {}}, accept_loss_from_));
    // What is left of a frame that was cut goes, also of one that was never acknowledged.
    disk_.synced.resize(disk_.frames.empty() ? 0 : end_of_frame(disk_.synced, disk_.frames.back()));
    if (!lost) {
        disk_.recorded = store::DurableMark{mark.group, found};
        return found;
    }
    const store::DurableMark behind = store::mark_behind(*lost);
    append_empty_frame(disk_, behind.revision);
    return behind.revision;
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
        journal.disk_.recorded = store::DurableMark{journal.disk_.frames.size(), moved->revision};
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
