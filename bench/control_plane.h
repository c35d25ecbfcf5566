// A server's inside without its HTTP: the real loop, store and disk, and the API's rules. What benchmarks of
// controllers and the scheduler run on.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "client/metrics.h"
#include "os/loop/real_loop.h"
#include "os/loop/thread_worker.h"
#include "server/bootstrap.h"
#include "server/local_client.h"
#include "store/rocksdb/rocksdb_journal.h"

namespace muster::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// On a directory that it empties first.
struct World {
    os::RealLoop loop;
    server::KindCodec codec;
    std::unique_ptr<store::RocksdbJournal> journal;
    std::unique_ptr<store::Store> store;
    std::unique_ptr<server::Objects> objects;
    client::Metrics metrics;

    explicit World(const std::string& directory) {
        std::filesystem::remove_all(directory);
        std::filesystem::create_directories(directory);
        journal = store::RocksdbJournal::open(loop, std::make_unique<os::ThreadWorker>("journal"), directory).value();
        store = store::Store::open(loop, *journal, codec).value();
        objects = std::make_unique<server::Objects>(loop, *store, server::default_admission(), api::RuleContext(), 1);
        CHECK(server::ensure_first_objects(*objects, 2).ok());
    }
};

}  // namespace muster::bench
