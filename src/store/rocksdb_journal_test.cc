#include "store/rocksdb_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "os/files.h"
#include "os/testing/virtual_loop.h"
#include "store/data_directory.h"
#include "store/durable_record.h"
#include "store/record.h"
#include "store/store.h"
#include "store/testing/note.h"

namespace muster::store {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;

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

TEST_F(RocksdbJournalTest, EverythingIsThereAgainAfterAnOrderlyEnd) {
    Content before;
    Revision revision = 0;
    {
        World world(at("data"));
        fill(world);
        before = world.content();
        revision = world.store->revision();
    }
    for (int round = 0; round < 3; ++round) {
        World world(at("data"));
        ASSERT_FALSE(world.error) << format_error(*world.error);
        EXPECT_EQ(world.content(), before);
        EXPECT_EQ(world.store->revision(), revision);
    }
    World world(at("data"));
    EXPECT_EQ(world.store->create("//pods/n/new", note("x")).value().revision, revision + 1);
}

TEST_F(RocksdbJournalTest, EverythingDurableIsThereAgainAfterACrash) {
    World world(at("data"));
    fill(world);
    const Content before = world.content();
    fs::copy(at("data"), at("crashed"), fs::copy_options::recursive);
    World after(at("crashed"));
    ASSERT_FALSE(after.error) << format_error(*after.error);
    EXPECT_EQ(after.content(), before);
    EXPECT_EQ(after.store->revision(), world.store->revision());
}

TEST_F(RocksdbJournalTest, ObjectsReadBackShareTheirParts) {
    {
        World world(at("data"));
        fill(world);
    }
    World world(at("data"));
    EXPECT_EQ(as_note(world.store->get("//pods/n/2")->object).common.identity(),
              as_note(world.store->get("//pods/n/4")->object).common.identity());
}

// What can be done to a key, each in a group of its own or all in one: f full, s status, r remove, c create.
TEST_F(RocksdbJournalTest, EveryOrderOfFullStatusAndRemovingWritesComesBack) {
    struct Case {
        const char* name;
        const char* steps;  // a space ends a group
    };
    constexpr Case kCases[] = {
        {"a status after its object", "c s"},
        {"two statuses", "c s s"},
        {"two statuses in one group", "c ss"},
        {"a status in its object's group", "cs"},
        {"a status after an object with a status in its group", "cs s"},
        {"a full write over a status", "c s f"},
        {"a status over a full write over a status", "c s f s"},
        {"a status and a full write in one group", "c sf"},
        {"a full write and a status in one group", "c fs"},
        {"a status after such a group", "c fs s"},
        {"a status after the other such group", "c s sf s"},
        {"a removal of an object with a status", "c s r"},
        {"a removal in the status' group", "c sr"},
        {"an object made again, whose predecessor had a status", "c s r c"},
        {"the same with a status again", "c s r c s"},
        {"an object made again in the group of its predecessor's removal", "c s rc"},
        {"a status after such a group", "c s rc s"},
        {"a status, a removal, a creation and a status in one group", "c s srcs"},
        {"an object that came and went in one group", "cr"},
        {"an object that came and went in one group and came again", "cr c s"},
    };
    int number = 0;
    for (const Case& one : kCases) {
        SCOPED_TRACE(one.name);
        const std::string directory = at("case" + std::to_string(number++));
        Content before;
        {
            World world(directory);
            (void)world.store->create("//pods/n/a", note("before")).value();
            (void)world.store->create("//pods/n/c", note("behind")).value();
            CommonText common;
            int count = 0;
            for (const char step : std::string_view(one.steps)) {
                const std::string text = std::to_string(++count);
                if (step == 'c' || step == 'f') common = common_text("common " + text);
                if (step == 'c') (void)world.store->create("//pods/n/b", note(text, "u", common)).value();
                if (step == 'f' || step == 's')
                    (void)world.store->update("//pods/n/b", note(text, "u", common)).value();
                if (step == 'r') (void)world.store->remove("//pods/n/b").value();
                if (step == ' ') world.settle();
            }
            world.settle();
            before = world.content();
        }
        for (int round = 0; round < 2; ++round) {
            World world(directory);
            ASSERT_FALSE(world.error) << format_error(*world.error);
            EXPECT_EQ(world.content(), before);
            // What was read back must also take the next status.
            if (const auto stored = world.store->get("//pods/n/b")) {
                (void)world.store->update("//pods/n/b", note("again", "u", as_note(stored->object).common)).value();
                world.settle();
            }
            before = world.content();
        }
    }
}

TEST_F(RocksdbJournalTest, AStatusIsWrittenWithoutTheRest) {
    const CommonText common = common_text("common");
    {
        World world(at("data"));
        (void)world.store->create("//pods/n/a", note("first", "u", common)).value();
        world.settle();
        (void)world.store->update("//pods/n/a", note("second", "u", common)).value();
        world.settle();
    }
    rocksdb::DB* db = nullptr;
    ASSERT_TRUE(rocksdb::DB::OpenForReadOnly({}, at("data/db"), &db).ok());
    const std::unique_ptr<rocksdb::DB> owner(db);
    std::string record;
    ASSERT_TRUE(db->Get({}, "o//pods/n/a", &record).ok());
    EXPECT_EQ(parse_object("//pods/n/a", record)->revision, 1u);
    ASSERT_TRUE(db->Get({}, "s//pods/n/a", &record).ok());
    EXPECT_EQ(parse_status("//pods/n/a", record)->bytes, "second");
    EXPECT_EQ(parse_status("//pods/n/a", record)->base, 1u);
}

TEST_F(RocksdbJournalTest, ADirectoryBelongsToOneStoreAtATime) {
    World world(at("data"));
    World second(at("data"));
    ASSERT_TRUE(second.error);
    EXPECT_EQ(second.error->code, Code::kUnavailable);
    EXPECT_THAT(second.error->message, HasSubstr("held by process " + std::to_string(::getpid())));
}

TEST_F(RocksdbJournalTest, AnotherFormatIsRefusedNamingBoth) {
    { World world(at("data")); }
    for (const std::string format : {"1", "7"}) {
        std::ofstream(at("data/format")) << "muster store format " + format + "\n";
        World world(at("data"));
        ASSERT_TRUE(world.error);
        EXPECT_EQ(world.error->code, Code::kInvalid);
        EXPECT_THAT(world.error->message, HasSubstr("format " + format));
        EXPECT_THAT(world.error->message, HasSubstr("format 2"));
    }
}

TEST_F(RocksdbJournalTest, ABackupTakenWhileItRunsOpensAsAStore) {
    World world(at("data"));
    fill(world);
    const Content before = world.content();
    (void)world.store->create("//pods/n/later", note("not durable yet")).value();
    fs::create_directory(at("data/keys"));
    std::ofstream(at("data/keys/one")) << "secret";
    std::vector<std::string> beside{"keys"};
    const auto done = world.loop.run(world.journal->backup(at("backup/deep"), std::move(beside)));
    ASSERT_TRUE(done.ok()) << format_error(done.error());
    world.settle();
    (void)world.store->remove("/batch/jobs/n/0").value();
    world.settle();
    EXPECT_EQ(world.loop.run(world.journal->backup(at("backup/deep"))).error().code, Code::kAlreadyExists);
    EXPECT_EQ(os::LinuxFiles().read(at("backup/deep/keys/one"), 100).value(), "secret");
    EXPECT_EQ(fs::status(at("backup/deep/keys/one")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    World copy(at("backup/deep"));
    ASSERT_FALSE(copy.error) << format_error(*copy.error);
    Content content = copy.content();
    content.erase("//pods/n/later");
    EXPECT_EQ(content, before);
    (void)copy.store->create("//pods/n/own", note("x")).value();
    copy.settle();
}

TEST_F(RocksdbJournalTest, ABackupThatFailsLeavesNothing) {
    World world(at("data"));
    fill(world);
    std::vector<std::string> beside{"no-such-folder"};
    EXPECT_FALSE(world.loop.run(world.journal->backup(at("backup"), std::move(beside))).ok());
    EXPECT_FALSE(fs::exists(at("backup")));
    EXPECT_FALSE(fs::exists(at("backup.unfinished")));
}

// Calls back in the middle of a copy, when a first file of the copy's store has been made.
class WatchedDisk final : public rocksdb::FileSystemWrapper {
public:
    WatchedDisk() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
    const char* Name() const override { return "WatchedDisk"; }
    rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSWritableFile>* result,
                                      rocksdb::IODebugContext* context) override {
        const auto status = FileSystemWrapper::NewWritableFile(name, options, result, context);
        if (name.find(kUnfinishedSuffix) != std::string::npos && in_the_middle) std::exchange(in_the_middle, {})();
        return status;
    }
    std::function<void()> in_the_middle;
};

TEST_F(RocksdbJournalTest, ABackupThatIsKilledLeavesNoDirectoryOfItsName) {
    const auto disk = std::make_shared<WatchedDisk>();
    const auto env = rocksdb::NewCompositeEnv(disk);
    World world(at("data"), {.env = env.get()});
    fill(world);
    bool looked = false;
    // What a process that ends here leaves, under the name of a second backup.
    disk->in_the_middle = [&] {
        looked = true;
        EXPECT_FALSE(fs::exists(at("first")));
        fs::copy(at("first.unfinished"), at("second.unfinished"), fs::copy_options::recursive);
    };
    ASSERT_TRUE(world.loop.run(world.journal->backup(at("first/"))).ok());
    ASSERT_TRUE(looked);
    EXPECT_FALSE(fs::exists(at("first.unfinished")));
    EXPECT_FALSE(World(at("first")).error);

    const World half(at("second.unfinished"));
    ASSERT_TRUE(half.error) << "half a copy must not be taken for a whole one";
    EXPECT_EQ(half.error->code, Code::kCorrupt);
    EXPECT_THAT(half.error->message, HasSubstr("second.unfinished is a backup that was not finished; remove it"));

    std::ofstream(at("second.unfinished/leftover")) << "x";
    ASSERT_TRUE(world.loop.run(world.journal->backup(at("second"))).ok());
    EXPECT_FALSE(fs::exists(at("second.unfinished")));
    EXPECT_FALSE(fs::exists(at("second/leftover")));
    const World second(at("second"));
    ASSERT_FALSE(second.error) << format_error(*second.error);
    EXPECT_EQ(second.content(), world.content());
}

TEST_F(RocksdbJournalTest, TwoBackupsDoNotWriteToOnePlace) {
    World world(at("data"));
    const auto other = lock_directory(at("backup.unfinished"));
    ASSERT_TRUE(other.ok());
    std::ofstream(at("backup.unfinished/theirs")) << "x";
    const Result<> refused = world.loop.run(world.journal->backup(at("backup")));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::kUnavailable);
    EXPECT_TRUE(fs::exists(at("backup.unfinished/theirs")));
}

TEST_F(RocksdbJournalTest, PartsGoFromDiskWhenNothingRefersToThem) {
    {
        World world(at("data"));
        for (int i = 0; i < 100; ++i)
            (void)world.store
                ->create("//pods/n/" + std::to_string(i), note("x", "u", common_text("part " + std::to_string(i))))
                .value();
        world.settle();
        for (int i = 0; i < 100; ++i)
            if (i != 7) (void)world.store->remove("//pods/n/" + std::to_string(i)).value();
        world.settle();
    }
    {
        World world(at("data"));  // finds 99 parts that nobody asks for, and drops them with the next group
        (void)world.store->create("//pods/n/x", note("x")).value();
        world.settle();
        EXPECT_EQ(*as_note(world.store->get("//pods/n/7")->object).common.get(), "part 7");
    }
    std::string tables;
    for (const auto& entry : fs::directory_iterator(at("data/db")))
        if (entry.path().extension() == ".sst") tables += entry.path().string() + " ";
    rocksdb::DB* db = nullptr;
    ASSERT_TRUE(rocksdb::DB::OpenForReadOnly({}, at("data/db"), &db).ok());
    const std::unique_ptr<rocksdb::DB> owner(db);
    const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator({}));
    int parts = 0;
    for (it->Seek("p"); it->Valid(); it->Next()) ++parts;
    EXPECT_EQ(parts, 1);
}

// ---- Damage. Whatever is done to a file, opening says which file it was, or gives exactly what was there.

struct Damage {
    std::string file;
    std::string what;
};

void flip_bit(const std::string& path, std::uintmax_t offset, int bit) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(static_cast<char>(byte ^ (1 << bit)));
}

class DamagedStore : public RocksdbJournalTest {
public:
    // Opens a damaged copy and looks. Counts what was noticed.
    void expect_named_or_exact(const std::string& file, const std::string& what, const Content& before,
                               Revision revision) {
        World world(at("damaged"));
        ++tried;
        if (world.error) {
            ++noticed;
            EXPECT_THAT(world.error->message,
                        AnyOf(HasSubstr(fs::path(file).filename()), HasSubstr("\"//pods/"), HasSubstr("\"/batch/jobs/"),
                              HasSubstr("part "), HasSubstr("has lost acknowledged writes")))
                << file << ": " << what;
            return;
        }
        EXPECT_EQ(world.content(), before) << file << ": " << what;
        EXPECT_EQ(world.store->revision(), revision) << file << ": " << what;
    }
    void damage_each_file(const std::string& original, const Content& before, Revision revision) {
        std::uint64_t chance = 12345;
        std::vector<std::string> files;
        for (const auto& entry : fs::recursive_directory_iterator(original))
            if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), original));
        const auto copy = [&] {
            fs::remove_all(at("damaged"));
            fs::copy(original, at("damaged"), fs::copy_options::recursive);
        };
        for (const std::string& file : files) {
            const std::uintmax_t size = fs::file_size(original + "/" + file);
            for (int i = 0; i < 12 && size != 0; ++i) {
                chance = chance * 6364136223846793005u + 1442695040888963407u;
                const std::uintmax_t offset = (chance >> 20) % size;
                copy();
                flip_bit(at("damaged/") + file, offset, static_cast<int>(chance >> 60) & 7);
                expect_named_or_exact(file, "bit at " + std::to_string(offset), before, revision);
            }
            for (const std::uintmax_t left : {size / 2, size - std::min<std::uintmax_t>(size, 1), std::uintmax_t{0}}) {
                if (left == size) continue;
                copy();
                fs::resize_file(at("damaged/") + file, left);
                expect_named_or_exact(file, "cut to " + std::to_string(left), before, revision);
            }
            copy();
            fs::remove(at("damaged/") + file);
            if (file != "closed") expect_named_or_exact(file, "gone", before, revision);
        }
    }
    int tried = 0;
    int noticed = 0;
};

TEST_F(DamagedStore, ClosedInOrderIsNeverSilentlyWrong) {
    Content before;
    Revision revision = 0;
    {
        World world(at("data"));
        fill(world);
        before = world.content();
        revision = world.store->revision();
    }
    damage_each_file(at("data"), before, revision);
    EXPECT_GT(noticed, 30);
    RecordProperty("tried", tried);
    RecordProperty("noticed", noticed);
}

// Taken for a store that is yet to be set up, it would be opened without a look at what is wrong with it.
TEST_F(DamagedStore, AStoreWithoutItsFormatIsNotOpenedUnchecked) {
    {
        World world(at("data"));
        fill(world);
    }
    fs::remove(at("data/format"));
    {
        const World world(at("data"));
        ASSERT_TRUE(world.error);
        EXPECT_EQ(world.error->code, Code::kCorrupt);
        EXPECT_THAT(world.error->message, HasSubstr("/format is missing"));
        EXPECT_THAT(world.error->message, HasSubstr("\"muster store format 2\""));
    }
    std::ofstream(at("data/format")) << "muster store format 2\n";
    EXPECT_FALSE(World(at("data")).error) << "as the message says";
    fs::remove(at("data/format"));
    fs::remove(at("data/db/CURRENT"));
    EXPECT_TRUE(World(at("data")).error) << "RocksDB would begin anew, and remove what is there";
    EXPECT_TRUE(fs::exists(at("data/db")));
}

TEST_F(DamagedStore, ASetUpThatWasCutShortIsGoneOnWith) {
    { const World world(at("data")); }
    fs::remove(at("data/format"));
    {
        World world(at("data"));
        ASSERT_FALSE(world.error) << format_error(*world.error);
        (void)world.store->create("//pods/n/a", note("x")).value();
        world.settle();
    }
    const World world(at("data"));
    ASSERT_FALSE(world.error) << format_error(*world.error);
    EXPECT_TRUE(world.store->get("//pods/n/a"));
}

TEST_F(DamagedStore, AnEmptiedFileOfOursIsNamedTogetherWithWhatToDo) {
    {
        World world(at("data"));
        fill(world);
    }
    struct Case {
        const char* file;
        const char* message;
    };
    constexpr Case kCases[] = {
        {"format", "/format is empty: it does not name a store format; if nothing else is damaged, replace its"},
        {"closed", "/closed is empty; remove it, and the store is checked as after a crash"},
    };
    for (const Case& one : kCases) {
        fs::remove_all(at("damaged"));
        fs::copy(at("data"), at("damaged"), fs::copy_options::recursive);
        fs::resize_file(at("damaged/") + one.file, 0);
        const World world(at("damaged"));
        ASSERT_TRUE(world.error) << one.file;
        EXPECT_EQ(world.error->code, Code::kCorrupt);
        EXPECT_THAT(world.error->message, HasSubstr(one.message));
    }
}

TEST_F(RocksdbJournalTest, NobodyElseCanReadWhatIsStored) {
    const fs::perms others = fs::perms::group_all | fs::perms::others_all;
    fs::create_directories(at("data/db"));
    for (const char* name : {"data", "data/db"}) fs::permissions(at(name), others | fs::perms::owner_all);
    const World world(at("data"));
    ASSERT_FALSE(world.error) << format_error(*world.error);
    for (const char* name : {"data/db", "data/lock", "data/format"})
        EXPECT_EQ(fs::status(at(name)).permissions() & others, fs::perms::none) << name;
}

// After a crash the log is all there is; its last group is sealed, as the store had been idle.
TEST_F(DamagedStore, AfterACrashNoDamageToALogIsTakenForATornEnd) {
    World world(at("data"));
    fill(world);
    const Content before = world.content();
    std::string log;
    for (const auto& entry : fs::directory_iterator(at("data/db")))
        if (entry.path().extension() == ".log") log = fs::relative(entry.path(), at("data"));
    ASSERT_FALSE(log.empty());
    std::uint64_t chance = 99;
    const std::uintmax_t size = fs::file_size(at("data/") + log);
    ASSERT_GT(size, 50'000u);
    for (int i = 0; i < 60; ++i) {
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        fs::remove_all(at("damaged"));
        fs::copy(at("data"), at("damaged"), fs::copy_options::recursive);
        flip_bit(at("damaged/") + log, (chance >> 20) % size, static_cast<int>(chance >> 60) & 7);
        expect_named_or_exact(log, "bit", before, world.store->revision());
    }
    EXPECT_GT(noticed, 50);
}

// A store of 20 objects, each in a group of its own, that was killed: `killed`. In `killed_before` the record is that
// of 19, as if it had been killed in the middle of the last group.
class KilledStore : public DamagedStore {
public:
    KilledStore() {
        World world(at("data"));
        for (int i = 1; i <= 20; ++i) {
            if (i == 20) fs::copy(at("data"), at("before"), fs::copy_options::recursive);
            (void)world.store->create("//pods/n/" + std::to_string(i), note(std::string(100, 'x'))).value();
            CHECK(world.loop.run_until([&] { return world.store->durable_revision() == world.store->revision(); }));
        }
        content = world.content();
        fs::copy(at("data"), at("killed"), fs::copy_options::recursive);
        fs::copy(at("data"), at("killed_before"), fs::copy_options::recursive);
        fs::copy_file(at("before/durable"), at("killed_before/durable"), fs::copy_options::overwrite_existing);
        for (const auto& entry : fs::directory_iterator(at("killed/db")))
            if (entry.path().extension() == ".log") log = "db/" + entry.path().filename().string();
        log_size = fs::file_size(at("killed/" + log));
    }
    void copy_from(const std::string& original) {
        fs::remove_all(at("damaged"));
        fs::copy(at(original), at("damaged"), fs::copy_options::recursive);
    }
    Content up_to(int last) const {
        Content kept;
        for (int i = 1; i <= last; ++i) {
            const std::string key = "//pods/n/" + std::to_string(i);
            kept[key] = content.at(key);
        }
        return kept;
    }
    Content content;
    std::string log;
    std::uintmax_t log_size = 0;
};

// A log that just stops is what a crash in the middle of a group leaves: what came before is there.
TEST_F(KilledStore, ATornEndOfTheLogLosesOnlyTheGroupThatWasNeverAcknowledged) {
    for (const int cut : {1, 5, 60, 150}) {
        copy_from("killed_before");
        fs::resize_file(at("damaged/") + log, log_size - static_cast<std::uintmax_t>(cut));
        World torn(at("damaged"));
        ASSERT_FALSE(torn.error) << cut << ": " << format_error(*torn.error);
        EXPECT_EQ(torn.store->revision(), 19u) << cut;
        EXPECT_EQ(torn.content(), up_to(19)) << cut;
    }
    // The same with zeros where the last group was to be, which a power cut may leave.
    copy_from("killed_before");
    fs::resize_file(at("damaged/") + log, log_size - 150);
    fs::resize_file(at("damaged/") + log, log_size + 5000);
    World zeros(at("damaged"));
    ASSERT_FALSE(zeros.error) << format_error(*zeros.error);
    EXPECT_EQ(zeros.store->revision(), 19u);
}

TEST_F(KilledStore, AcknowledgedWritesThatAreGoneAreNoticedAndCanBeAccepted) {
    struct Case {
        const char* name;
        std::function<void(const std::string& directory)> damage;
        Revision left;
        const char* message;
    };
    const Case cases[] = {
        {"the end of the log is cut off", [&](const std::string& in) { fs::resize_file(in + log, log_size - 5); }, 19,
         "has lost acknowledged writes"},
        {"half of the log is cut off", [&](const std::string& in) { fs::resize_file(in + log, log_size / 2); }, 0,
         "has lost acknowledged writes"},
        {"the log is empty", [&](const std::string& in) { fs::resize_file(in + log, 0); }, 0, "it ends at revision 0"},
        {"the log is missing", [&](const std::string& in) { fs::remove(in + log); }, 0,
         "says that 20 was acknowledged"},
        {"the whole store is missing",
         [&](const std::string& in) {
             fs::remove_all(in + "db");
             fs::remove(in + "format");
         },
         0, "says that 20 was acknowledged"},
        {"the record is empty", [](const std::string& in) { fs::resize_file(in + "durable", 0); }, 20,
         "/durable is empty, so it is not known which writes were acknowledged"},
        {"the record is missing", [](const std::string& in) { fs::remove(in + "durable"); }, 20,
         "/durable is missing, so it is not known which writes were acknowledged"},
        {"the record and the end of the log are gone",
         [&](const std::string& in) {
             fs::remove(in + "durable");
             fs::resize_file(in + log, log_size - 5);
         },
         19, "/durable is missing"},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.name);
        copy_from("killed");
        one.damage(at("damaged/"));
        std::optional<Revision> left = one.left;
        {
            const World refused(at("damaged"));
            ASSERT_TRUE(refused.error);
            EXPECT_EQ(refused.error->code, Code::kCorrupt);
            EXPECT_THAT(refused.error->message, HasSubstr(one.message));
            const std::string flag = "muster up --data-dir " + at("damaged") + " --accept-loss-from ";
            ASSERT_THAT(refused.error->message, HasSubstr(flag));
            const std::string told = refused.error->message.substr(refused.error->message.find(flag) + flag.size());
            if (one.left == 0 && told != "1") left = std::stoull(told) - 1;  // half a log ends somewhere
        }
        const World wrong(at("damaged"), {.accept_loss_from = *left + 2});
        ASSERT_TRUE(wrong.error) << "another loss than the one that was accepted";
        Revision next = 0;
        {
            std::string report;
            World accepted(at("damaged"), {.accept_loss_from = *left + 1,
                                           .report = [&](std::string_view message) { report = message; }});
            ASSERT_FALSE(accepted.error) << format_error(*accepted.error);
            EXPECT_THAT(report, HasSubstr("goes on without the writes from revision " + std::to_string(*left + 1)));
            EXPECT_EQ(accepted.content(), up_to(static_cast<int>(*left)));
            // Killed at once, it is the same.
            fs::remove_all(at("again"));
            fs::copy(at("damaged"), at("again"), fs::copy_options::recursive);
            next = accepted.store->create("//pods/n/next", note("x")).value().revision;
            EXPECT_GT(next, 20u) << "revisions never go back";
            accepted.settle();
        }
        const World again(at("again"));
        ASSERT_FALSE(again.error) << format_error(*again.error);
        EXPECT_EQ(again.store->revision(), next - 1);
        std::string report;
        const World later(at("damaged"), {.accept_loss_from = *left + 1,
                                          .report = [&](std::string_view message) { report = message; }});
        ASSERT_FALSE(later.error) << format_error(*later.error);
        EXPECT_EQ(later.store->revision(), next);
        EXPECT_THAT(report, HasSubstr("nothing is lost"));
    }
}

// As the version before the record made it.
TEST_F(KilledStore, AStoreThatNeverKeptARecordOpensAndKeepsOneFromThenOn) {
    {
        rocksdb::DB* db = nullptr;
        ASSERT_TRUE(rocksdb::DB::Open({}, at("killed/db"), &db).ok());
        const std::unique_ptr<rocksdb::DB> owner(db);
        std::string bytes;
        ASSERT_TRUE(db->Get({}, std::string(kMarkKey), &bytes).ok());
        GroupMark mark = parse_mark(bytes).value();
        EXPECT_TRUE(mark.recorded);
        mark.recorded = false;
        ASSERT_TRUE(db->Put({}, std::string(kMarkKey), format_mark(mark)).ok());
    }
    fs::remove(at("killed/durable"));
    {
        World world(at("killed"));
        ASSERT_FALSE(world.error) << format_error(*world.error);
        EXPECT_EQ(world.content(), content);
        (void)world.store->create("//pods/n/21", note("x")).value();
        world.settle();
        copy_from("killed");
    }
    EXPECT_EQ(read_durable(at("damaged")).value()->revision, 21u);
    fs::remove(at("damaged/durable"));
    EXPECT_TRUE(World(at("damaged")).error);
}

TEST_F(KilledStore, ABackupOfAnOlderTimeIsNotServedInThePlaceOfTheStore) {
    {
        World world(at("killed"));
        ASSERT_TRUE(world.loop.run(world.journal->backup(at("backup"))).ok());
        (void)world.store->create("//pods/n/21", note("x")).value();
        world.settle();
    }
    EXPECT_FALSE(World(at("backup")).error);
    fs::remove_all(at("killed/db"));
    fs::remove(at("killed/closed"));
    fs::copy(at("backup/db"), at("killed/db"), fs::copy_options::recursive);
    const World world(at("killed"));
    ASSERT_TRUE(world.error);
    EXPECT_THAT(world.error->message, HasSubstr("it ends at revision 20"));
    EXPECT_THAT(world.error->message, HasSubstr("21 was acknowledged"));
}

TEST_F(DamagedStore, ALostMiddleIsNoticed) {
    struct Case {
        const char* lost;
        const char* message;
    };
    // The second has a status; the third is that status, without which the object would be of the past.
    constexpr Case kCases[] = {
        {"o//pods/n/2", "objects that are not the"},
        {"o//pods/n/4", "there is a status record of \"//pods/n/4\" but no object"},
        {"s//pods/n/4", "objects that are not the"},
    };
    {
        World world(at("data"));
        fill(world);
    }
    for (const Case& one : kCases) {
        SCOPED_TRACE(one.lost);
        fs::remove_all(at("damaged"));
        fs::copy(at("data"), at("damaged"), fs::copy_options::recursive);
        {
            // As if a table had been lost together with every trace of it.
            rocksdb::DB* db = nullptr;
            ASSERT_TRUE(rocksdb::DB::Open({}, at("damaged/db"), &db).ok());
            const std::unique_ptr<rocksdb::DB> owner(db);
            std::string record;
            ASSERT_TRUE(db->Get({}, one.lost, &record).ok());
            ASSERT_TRUE(db->Delete({}, one.lost).ok());
        }
        fs::remove(at("damaged/closed"));
        World world(at("damaged"));
        ASSERT_TRUE(world.error);
        EXPECT_EQ(world.error->code, Code::kCorrupt);
        EXPECT_THAT(world.error->message, HasSubstr(one.message));
    }
}

// Damage below RocksDB's own checksums is the file system's; this is damage above them, in the bytes that it was given.
TEST_F(DamagedStore, ADamagedStatusRecordIsNamed) {
    {
        World world(at("data"));
        fill(world);
    }
    {
        rocksdb::DB* db = nullptr;
        ASSERT_TRUE(rocksdb::DB::Open({}, at("data/db"), &db).ok());
        const std::unique_ptr<rocksdb::DB> owner(db);
        std::string record;
        ASSERT_TRUE(db->Get({}, "s//pods/n/4", &record).ok());
        record.back() ^= 1;
        ASSERT_TRUE(db->Put({}, "s//pods/n/4", record).ok());
    }
    fs::remove(at("data/closed"));
    World world(at("data"));
    ASSERT_TRUE(world.error);
    EXPECT_EQ(world.error->code, Code::kCorrupt);
    EXPECT_THAT(world.error->message, HasSubstr("the status record of \"//pods/n/4\" is damaged"));
}

// ---- A disk that fails.

class FailingFile final : public rocksdb::FSWritableFileOwnerWrapper {
public:
    FailingFile(std::unique_ptr<rocksdb::FSWritableFile>&& file, const std::string* failing)
        : FSWritableFileOwnerWrapper(std::move(file)), failing_(failing) {}
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* context) override {
        if (*failing_ == "append") return rocksdb::IOStatus::NoSpace("no room");
        return FSWritableFileOwnerWrapper::Append(data, options, context);
    }
    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override {
        if (*failing_ == "sync") return rocksdb::IOStatus::IOError("the disk said no");
        return FSWritableFileOwnerWrapper::Sync(options, context);
    }

private:
    const std::string* failing_;
};

class FailingDisk final : public rocksdb::FileSystemWrapper {
public:
    FailingDisk() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
    const char* Name() const override { return "FailingDisk"; }
    rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSWritableFile>* result,
                                      rocksdb::IODebugContext* context) override {
        std::unique_ptr<rocksdb::FSWritableFile> file;
        const auto status = FileSystemWrapper::NewWritableFile(name, options, &file, context);
        if (status.ok() && name.ends_with(".log")) {
            *result = std::make_unique<FailingFile>(std::move(file), &failing);
        } else {
            *result = std::move(file);
        }
        return status;
    }
    std::string failing;
};

TEST_F(RocksdbJournalTest, ADiskThatFailsEndsItAndNothingIsAcknowledgedAfterwards) {
    for (const std::string failing : {"sync", "append"}) {
        const std::string directory = at("data-" + failing);
        auto disk = std::make_shared<FailingDisk>();
        const auto env = rocksdb::NewCompositeEnv(disk);
        std::vector<std::string> fatal;
        {
            World world(directory,
                        {.fatal = [&](std::string_view message) { fatal.emplace_back(message); }, .env = env.get()});
            ASSERT_FALSE(world.error) << format_error(*world.error);
            (void)world.store->create("//pods/n/safe", note("x")).value();
            world.settle();
            disk->failing = failing;
            bool acknowledged = false;
            (void)world.store->create("//pods/n/lost", note("x")).value();
            world.store->when_durable(2, [&] { acknowledged = true; });
            world.loop.run_for(1s);
            disk->failing = "";
            (void)world.store->create("//pods/n/later", note("x")).value();
            world.store->when_durable(3, [&] { acknowledged = true; });
            world.loop.run_for(1s);
            EXPECT_FALSE(acknowledged);
            EXPECT_EQ(world.store->durable_revision(), 1u);
        }
        ASSERT_EQ(fatal.size(), 1u);
        EXPECT_THAT(fatal[0], HasSubstr(directory));
        EXPECT_THAT(fatal[0], AnyOf(HasSubstr("the disk said no"), HasSubstr("no room")));
        World world(directory);
        ASSERT_FALSE(world.error) << format_error(*world.error);
        EXPECT_TRUE(world.store->get("//pods/n/safe"));
        EXPECT_FALSE(world.store->get("//pods/n/later"));
    }
}

}  // namespace
}  // namespace muster::store
