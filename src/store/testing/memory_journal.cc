#include "store/testing/memory_journal.h"

#include "base/check.h"
#include "store/recovery.h"

namespace muster::store {

void MemoryDisk::sync() {
    if (!under_way) return;
    for (Edit& edit : under_way->records) {
        const auto before = records.find(edit.key);
        CHECK((before == records.end() ? 0 : before->second.revision) == edit.replaces, edit.key);
        if (edit.record && edit.only_status) {
            CHECK(before != records.end() && before->second.base == edit.record->base, edit.key);
            before->second.revision = edit.record->revision;
            before->second.status = std::move(edit.record->status);
        } else if (edit.record) {
            records[edit.key] = std::move(*edit.record);
        } else if (before != records.end()) {
            records.erase(before);
        }
    }
    for (const std::uint64_t part : under_way->dead_parts) CHECK(parts.erase(part) == 1);
    for (auto& [number, bytes] : under_way->new_parts) CHECK(parts.emplace(number, std::move(bytes)).second);
    CHECK(under_way->revision > revision);
    revision = under_way->revision;
    under_way.reset();
}

MemoryJournal::MemoryJournal(os::Loop& loop, os::Worker& worker, MemoryDisk& disk)
    : loop_(loop), worker_(worker), disk_(disk), self_(std::make_shared<MemoryJournal*>(this)) {}

MemoryJournal::~MemoryJournal() { *self_ = nullptr; }

Result<Revision> MemoryJournal::recover(Codec& codec, const Each& each) {
    CHECK(!disk_.under_way, "a disk that crashed says so first");
    PartLoader loader;
    for (const auto& [number, bytes] : disk_.parts) loader.add(number, bytes);
    Recovery recovery(codec, loader, each);
    for (const auto& [key, record] : disk_.records)
        TRY(recovery.add(key, record.revision, record.base, record.own + record.status));
    TRY(recovery.finish());
    TRY(loader.hand_over(parts_));
    return disk_.revision;
}

void MemoryJournal::commit(Group group, os::Work durable) {
    CHECK(!busy_, "one group at a time");
    busy_ = true;
    auto moved = std::make_shared<Group>(std::move(group));
    worker_.run([self = self_, moved] {
        if (*self) (*self)->write(std::move(*moved));
    });
    auto call = std::make_shared<os::Work>(std::move(durable));
    worker_.run([self = self_, call] {
        MemoryJournal* journal = *self;
        if (!journal) return;
        journal->disk_.sync();
        journal->loop_.post([self, call] {
            if (!*self) return;
            (*self)->busy_ = false;
            (*call)();
        });
    });
}

void MemoryJournal::write(Group group) {
    MemoryDisk::GroupEdits edits;
    edits.revision = group.revision;
    edits.dead_parts = parts_.take_dead(group.revision, group.newest);
    for (const Change& change : group.changes) {
        MemoryDisk::Edit edit{change.key.str(), change.replaces, std::nullopt, change.base != 0};
        if (change.object) {
            PartWriter writer(parts_);
            MemoryDisk::Record record;
            record.revision = change.revision;
            record.base = edit.only_status ? change.base : change.revision;
            if (!edit.only_status) change.object->encode_own(writer);
            record.own = std::exchange(writer.bytes, {});
            change.object->encode_status(writer);
            record.status = std::move(writer.bytes);
            edit.record = std::move(record);
        }
        edits.records.push_back(std::move(edit));
    }
    edits.new_parts = std::move(parts_.fresh());
    parts_.fresh().clear();
    parts_.look_for_dead(64 + 2 * group.changes.size());
    disk_.under_way = std::move(edits);
}

}  // namespace muster::store
