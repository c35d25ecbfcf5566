// A store over a disk in memory and a loop in virtual time, that can crash and be opened again.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "os/testing/virtual_loop.h"
#include "store/store.h"
#include "store/testing/memory_journal.h"
#include "store/testing/note.h"

namespace muster::store {

class StoreFixture {
public:
    explicit StoreFixture(StoreOptions store_options = {}, std::uint64_t seed = 1, Duration disk_delay_max = 1ms)
        : options(store_options), seed_(seed), delay_max_(disk_delay_max) {
        open();
    }
    ~StoreFixture() { close(); }

    void open() {
        worker = std::make_unique<os::VirtualWorker>(loop, seed_++, 0ns, delay_max_);
        journal = std::make_unique<MemoryJournal>(loop, *worker, disk);
        store = Store::open(loop, *journal, codec, options).value();
    }
    // What is not on disk is lost; the group under way is there or not.
    void crash(bool keep_under_way) {
        worker->abandon();
        close();
        if (keep_under_way) disk.sync();
        disk.forget();
        open();
    }
    void settle() {
        CHECK(loop.run_until([&] { return store->durable_revision() == store->revision(); }));
        loop.run_until_idle();
    }

    os::VirtualLoop loop;
    MemoryDisk disk;
    NoteCodec codec;
    StoreOptions options;
    std::unique_ptr<os::VirtualWorker> worker;
    std::unique_ptr<MemoryJournal> journal;
    std::unique_ptr<Store> store;

private:
    void close() {
        store.reset();
        journal.reset();
        worker.reset();
    }

    std::uint64_t seed_;
    Duration delay_max_;
};

// "created /g/r/n/a 5 text", "deleted /g/r/n/a 7 (text)": what a watch has to say now; ends with the error, if any.
inline std::vector<std::string> drain(Watch& watch) {
    static constexpr const char* kNames[] = {"created ", "updated ", "deleted "};
    std::vector<std::string> lines;
    for (;;) {
        auto next = watch.next();
        if (!next.ok()) {
            lines.push_back(std::string(name_of(next.error().code)));
            return lines;
        }
        const Event* event = *next;
        if (!event) return lines;
        std::string line = kNames[static_cast<int>(event->type)] + event->key.str() + " ";
        line += std::to_string(event->revision);
        if (event->object) line += " " + as_note(event->object).text;
        if (event->previous) line += " (" + as_note(event->previous).text + ")";
        lines.push_back(std::move(line));
    }
}

// "a@3=text b@4=text …", keys without the prefix.
inline std::string show(const Listing& listing, std::string_view prefix) {
    std::string line;
    for (const Stored& stored : listing.items) {
        if (!line.empty()) line += " ";
        line += stored.key.view().substr(prefix.size());
        line += "@" + std::to_string(stored.revision) + "=" + as_note(stored.object).text;
    }
    return line;
}

}  // namespace muster::store
