#include "writer.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/prng.h"
#include "os/loop/real_loop.h"
#include "os/loop/task.h"
#include "os/loop/thread_worker.h"
#include "store/rocksdb/rocksdb_journal.h"
#include "store/store.h"
#include "store/testing/note.h"

namespace muster::store {
namespace {

struct Shop {
    os::RealLoop loop;
    NoteCodec codec;
    std::unique_ptr<RocksdbJournal> journal;
    std::unique_ptr<Store> store;

    Result<> open(const std::string& directory, std::size_t write_buffer_bytes) {
        RocksdbJournalOptions options;
        options.write_buffer_bytes = write_buffer_bytes;
        TRY_ASSIGN(journal,
                   RocksdbJournal::open(loop, std::make_unique<os::ThreadWorker>("journal"), directory, options));
        TRY_ASSIGN(store, Store::open(loop, *journal, codec));
        return {};
    }
};

// At once and whole: what is said must not die with us.
void say(const std::string& line) {
    if (::write(STDOUT_FILENO, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::_Exit(1);
}

// A text that shows if any of it is not as it was written.
std::string make_value(Prng& chance, std::size_t bytes_max) {
    const std::uint64_t number = chance.next();
    std::string value = std::to_string(number) + ":";
    const std::size_t size = chance.below(bytes_max);
    for (std::size_t i = 0; i < size; ++i) value.push_back(static_cast<char>('a' + (number + i * i) % 26));
    return value;
}

os::Task<void> write_forever(Shop& shop, const WriterOptions& options, std::size_t number,
                             std::vector<CommonText>& commons) {
    Prng chance(options.seed * 1000 + number);
    const std::string name = std::to_string(number);
    for (;;) {
        const std::string key = "//pods/w" + name + "/" + std::to_string(chance.below(options.keys));
        const bool exists = shop.store->get(key).has_value();
        std::string value = exists && chance.below(4) == 0 ? "-" : make_value(chance, options.value_bytes_max);
        say("try " + name + " " + key + " " + value + "\n");
        Revision revision = 0;
        if (value == "-") {
            revision = shop.store->remove(key).value().revision;
        } else {
            if (chance.below(50) == 0) commons[chance.below(commons.size())] = common_text("common " + value);
            // Half of the updates are of the text alone, which is then written alone.
            const auto stored = shop.store->get(key);
            const bool keep = stored && chance.below(2) == 0;
            Draft draft =
                note(value, "u", keep ? as_note(stored->object).common : commons[chance.below(commons.size())]);
            revision = (exists ? shop.store->update(key, std::move(draft)) : shop.store->create(key, std::move(draft)))
                           .value()
                           .revision;
        }
        co_await shop.store->durable(revision);
        say("ack " + name + " " + std::to_string(revision) + "\n");
    }
}

os::Task<void> watch_forever(Shop& shop) {
    const auto watch = shop.store->watch("//pods/", shop.store->revision(), Visibility::kDurable).value();
    for (;;) {
        const Event* event = watch->next().value();
        if (event) {
            say("seen " + std::to_string(event->revision) + " " + event->key.str() + "\n");
        } else {
            co_await watch->ready();
        }
    }
}

}  // namespace

int run_writer(const WriterOptions& options) {
    Shop shop;
    if (const auto opened = shop.open(options.directory, options.write_buffer_bytes); !opened.ok()) {
        std::fprintf(stderr, "%s\n", format_error(opened.error()).c_str());
        return 3;
    }
    say("open " + std::to_string(shop.store->revision()) + "\n");
    std::vector<CommonText> commons;
    for (int i = 0; i < 8; ++i) commons.push_back(common_text("common " + std::to_string(i)));
    os::spawn(shop.loop, watch_forever(shop));
    for (std::size_t i = 0; i < options.writers; ++i) os::spawn(shop.loop, write_forever(shop, options, i, commons));
    shop.loop.run();
    return 0;
}

int run_dump(const std::string& directory, bool orderly) {
    Shop shop;
    if (const auto opened = shop.open(directory, 1u << 20); !opened.ok()) {
        std::fprintf(stderr, "%s\n", format_error(opened.error()).c_str());
        return 3;
    }
    std::printf("revision %lu\n", static_cast<unsigned long>(shop.store->revision()));
    const Listing all = shop.store->list("//pods/").value();
    for (const Stored& stored : all.items) {
        const Note& it = as_note(stored.object);
        if (!it.common.get() || !it.common.get()->starts_with("common ")) return 4;
        std::printf("%s %lu %s\n", stored.key.str().c_str(), static_cast<unsigned long>(stored.revision),
                    it.text.c_str());
    }
    std::fflush(stdout);
    if (!orderly) std::_Exit(0);
    return 0;
}

}  // namespace muster::store
