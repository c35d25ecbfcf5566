// The disk of the simulated server, and the journal on it. A group of changes is one frame with a checksum; what was
// not synced when the machine stopped may be there whole, in parts, or not at all. The disk outlives the journal, as a
// disk outlives a process.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/prng.h"
#include "os/loop/loop.h"
#include "store/durable_record.h"
#include "store/journal.h"
#include "store/parts.h"

namespace muster::sim {

class Disk {
public:
    // Everything synced so far, then a frame that may be torn.
    std::string synced;
    std::string unsynced;
    std::vector<std::size_t> frames;             // where in `synced` each frame begins
    std::uint64_t hash = 0;                      // over all frames that were ever written, lost ones too
    std::optional<store::DurableMark> recorded;  // what was acknowledged: a file apart from the frames

    void sync() {
        if (unsynced.empty()) return;
        frames.push_back(synced.size());
        synced += unsynced;
        unsynced.clear();
    }
    // Stops at this moment. What is unsynced arrives whole, as some of its sectors in any order, or not at all; gives
    // whether it arrived whole.
    bool lose_power(Prng& random);
    // A bit of a frame that others follow turns over; gives where, or npos when there is none. Turning it again heals.
    std::size_t flip_bit(Prng& random);
    // The last frames are gone, though they were synced, up to `frames_max` of them and never one of the first
    // `keep_frames`; of the first of those that are gone a piece may be left. False when there are none to lose.
    bool lose_frames(Prng& random, std::size_t keep_frames, std::size_t frames_max);
    // So many revisions are used without a trace, as by objects that are not simulated. Nothing may be under way.
    // Gives the last one before them.
    store::Revision skip_revisions(std::int64_t count);
};

// What the journal made durable: the reference for what a watch must tell.
struct DurableChange {
    Text key;
    store::Revision revision;
    bool removed;
};
using OnDurable = std::function<void(const std::vector<DurableChange>& changes, store::Revision revision)>;

class DiskJournal final : public store::Journal {
public:
    // A group takes two runs of the worker: one to write and one to sync. `on_error`: a sync failed, and the process
    // must end; nothing is called back any more.
    // It refuses a disk that has lost what was acknowledged, unless exactly that is accepted.
    DiskJournal(os::Loop& loop, os::Worker& worker, Disk& disk, std::optional<store::Revision> accept_loss_from,
                std::function<bool()> sync_fails, std::function<void()> on_error, OnDurable on_durable);
    ~DiskJournal() override { *self_ = nullptr; }

    Result<store::Revision> recover(store::Codec& codec, const Each& each) override;
    void commit(store::Group group, os::Work durable) override;

private:
    Result<store::Revision> go_on_from(store::Revision found);
    std::string encode(const store::Group& group);

    os::Loop& loop_;
    os::Worker& worker_;
    Disk& disk_;
    const std::optional<store::Revision> accept_loss_from_;
    std::function<bool()> sync_fails_;
    std::function<void()> on_error_;
    OnDurable on_durable_;
    store::PartTable parts_;
    bool busy_ = false;
    std::shared_ptr<DiskJournal*> self_;
};

}  // namespace muster::sim
