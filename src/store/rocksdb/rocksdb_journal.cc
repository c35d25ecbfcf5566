#include "store/rocksdb/rocksdb_journal.h"

#include "base/check.h"
#include "store/rocksdb/rocksdb_database.h"

namespace muster::store {

Result<std::unique_ptr<RocksdbJournal>> RocksdbJournal::open(os::Loop& loop, std::unique_ptr<os::Worker> worker,
                                                             std::string directory, RocksdbJournalOptions options) {
    TRY_ASSIGN(DirectoryLock lock, lock_directory(directory));
    auto database = std::make_unique<Database>(loop, std::move(directory), std::move(lock), std::move(options));
    TRY(database->open());
    return std::unique_ptr<RocksdbJournal>(new RocksdbJournal(loop, std::move(worker), std::move(database)));
}

RocksdbJournal::RocksdbJournal(os::Loop& loop, std::unique_ptr<os::Worker> worker, std::unique_ptr<Database> database)
    : loop_(loop),
      database_(std::move(database)),
      worker_(std::move(worker)),
      self_(std::make_shared<RocksdbJournal*>(this)) {}

RocksdbJournal::~RocksdbJournal() {
    *self_ = nullptr;
    loop_.cancel(seal_timer_);
    worker_.reset();  // finishes what it was given
}

Result<Revision> RocksdbJournal::recover(Codec& codec, const Each& each) { return database_->recover(codec, each); }

void RocksdbJournal::commit(Group group, os::Work durable) {
    CHECK(!busy_, "one group at a time");
    busy_ = true;
    worker_->run([this, group = std::move(group), durable = std::move(durable), self = self_]() mutable {
        if (!database_->write(group)) return;
        loop_.post([durable = std::move(durable), self = std::move(self)]() mutable {
            RocksdbJournal* journal = *self;
            if (!journal) return;
            journal->busy_ = false;
            journal->seal_when_idle();
            durable();
        });
    });
}

// The next group seals this one by being begun, so it is worth its write only when none comes.
void RocksdbJournal::seal_when_idle() {
    if (seal_timer_ != 0) return;
    seal_timer_ = loop_.after(2ms, [this] {
        seal_timer_ = 0;
        if (!busy_) worker_->run([database = database_.get()] { database->seal(); });
    });
}

os::Task<Result<>> RocksdbJournal::backup(std::string directory, std::vector<std::string> beside) {
    // Not one expression: GCC 12 destroys what such a one passes into a coroutine twice.
    auto copy = [database = database_.get(), target = std::move(directory), beside = std::move(beside)] {
        return database->backup(target, beside);
    };
    auto copying = os::offload(loop_, *worker_, std::move(copy));
    co_return co_await std::move(copying);
}

}  // namespace muster::store
