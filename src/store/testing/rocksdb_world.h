// A store on disk, for tests of the journal.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "os/files/files.h"
#include "os/testing/virtual_loop.h"
#include "store/rocksdb/rocksdb_journal.h"
#include "store/store.h"
#include "store/testing/note.h"

namespace muster::store {

namespace fs = std::filesystem;

using Content = std::map<std::string, std::string>;  // key to "revision text|common"

// A store in a directory of its own, over virtual time: the worker's work runs when the loop does.
struct World {
    explicit World(std::string in, RocksdbJournalOptions journal_options = {}) : directory(std::move(in)) {
        auto opened = RocksdbJournal::open(loop, std::make_unique<os::VirtualWorker>(loop), directory, journal_options);
        if (!opened.ok()) {
            error = opened.error();
            return;
        }
        journal = std::move(*opened);
        auto loaded = Store::open(loop, *journal, codec);
        if (!loaded.ok()) {
            error = loaded.error();
            return;
        }
        store = std::move(*loaded);
    }
    void settle() {
        CHECK(loop.run_until([&] { return store->durable_revision() == store->revision(); }));
        loop.run_for(1s);
    }
    Content content() const {
        Content all;
        for (const char* prefix : {"//pods/", "/batch/jobs/"}) {
            const Listing listing = store->list(prefix).value();
            for (const Stored& stored : listing.items) {
                const Note& it = as_note(stored.object);
                EXPECT_EQ(it.stamped, stored.revision);
                all[stored.key.str()] =
                    std::to_string(stored.revision) + " " + it.text + "|" + (it.common.get() ? *it.common.get() : "");
            }
        }
        return all;
    }

    std::string directory;
    os::VirtualLoop loop;
    NoteCodec codec;
    std::optional<Error> error;
    std::unique_ptr<RocksdbJournal> journal;
    std::unique_ptr<Store> store;
};

struct RocksdbJournalTest : testing::Test {
    RocksdbJournalTest() {
        base = testing::TempDir() + "muster-journal-" + std::to_string(::getpid());
        fs::remove_all(base);
        fs::create_directories(base);
    }
    ~RocksdbJournalTest() override { fs::remove_all(base); }
    std::string at(const std::string& name) const { return base + "/" + name; }

    // Enough of everything: several groups, removals, parts that live and parts that died, more than one table.
    void fill(World& world) {
        const CommonText common = common_text(std::string(1000, 'c'));
        for (int i = 0; i < 300; ++i) {
            const std::string key = (i % 3 == 0 ? "/batch/jobs/n/" : "//pods/n/") + std::to_string(i);
            (void)world.store
                ->create(key, note(std::string(200, 'a' + i % 26), "u", i % 2 == 0 ? common : CommonText()))
                .value();
            if (i % 50 == 49) world.settle();
        }
        for (int i = 1; i < 300; i += 3) {
            const std::string key = "//pods/n/" + std::to_string(i);
            const CommonText same = as_note(world.store->get(key)->object).common;
            (void)world.store->update(key, note("status " + std::to_string(i), "u", same)).value();
            if (i % 50 == 49) world.settle();
        }
        world.settle();
        for (int i = 0; i < 300; i += 5)
            if (i % 3 != 0) (void)world.store->remove("//pods/n/" + std::to_string(i)).value();
        world.settle();
        (void)world.store->update("/batch/jobs/n/0", note("last")).value();
        world.settle();
    }
    std::string base;
};

}  // namespace muster::store
