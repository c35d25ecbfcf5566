// The embedded journal: RocksDB used as a log that compacts itself. Nothing is read from it but everything, once, when
// it is opened.
// The loop hands a group to the worker; the worker encodes it, writes it as one batch with one sync, and posts back.
// A write or sync that fails ends the process: what the kernel did with the bytes cannot be known, so nothing may be
// acknowledged after it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/loop/loop.h"
#include "os/loop/task.h"
#include "store/journal.h"

namespace rocksdb {
class Env;
}

namespace muster::store {

struct RocksdbJournalOptions {
    // Memory for writes that are in the log but not in tables yet; up to three times as much is used.
    std::size_t write_buffer_bytes = 8u << 20;
    // Called on any thread when the disk fails; must not return in the product. The journal never calls back after it.
    // By default it prints the message and ends the process.
    std::function<void(std::string_view message)> fatal{};
    // Goes on although acknowledged writes from exactly this revision on are gone; revisions go on behind them.
    std::optional<Revision> accept_loss_from{};
    std::function<void(std::string_view message)> report{};  // what the operator should know of the opening
    rocksdb::Env* env = nullptr;                             // for tests that make the disk fail
};

class RocksdbJournal final : public Journal {
public:
    // Opens or makes the store in a directory, and keeps others out of it. Fails with
    // kUnavailable: another process has it; kInvalid: it has another format; kCorrupt: it is damaged, or it has lost
    // writes that were acknowledged; kIo.
    static Result<std::unique_ptr<RocksdbJournal>> open(os::Loop& loop, std::unique_ptr<os::Worker> worker,
                                                        std::string directory, RocksdbJournalOptions options = {});
    // Finishes the group under way, without calling back, and closes in order.
    ~RocksdbJournal() override;

    Result<Revision> recover(Codec& codec, const Each& each) override;
    void commit(Group group, os::Work durable) override;

    // Makes a copy of everything durable in a directory that must not exist yet (kAlreadyExists); it can be opened as a
    // store. The small files in the folders named by `beside`, in the directory of this one, come along. Writes wait
    // meanwhile, but only for what is still in memory to reach the tables: those are linked, not copied, when the copy
    // is on the same disk. The copy is written to "<directory>.unfinished", which is removed after a failure and by the
    // next backup to the same directory when the process was killed meanwhile; kUnavailable: another process writes to
    // it. The journal must outlive it.
    os::Task<Result<>> backup(std::string directory, std::vector<std::string> beside = {});

private:
    struct Database;  // what the worker works with

    RocksdbJournal(os::Loop& loop, std::unique_ptr<os::Worker> worker, std::unique_ptr<Database> database);
    void seal_when_idle();

    os::Loop& loop_;
    std::unique_ptr<Database> database_;
    std::unique_ptr<os::Worker> worker_;
    bool busy_ = false;
    os::TimerId seal_timer_ = 0;
    std::shared_ptr<RocksdbJournal*> self_;  // callbacks that come after the end find it null
};

}  // namespace muster::store
