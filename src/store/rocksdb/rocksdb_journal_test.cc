#include "store/rocksdb/rocksdb_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "os/files/files.h"
#include "store/data_directory.h"
#include "store/durable_record.h"
#include "store/record.h"
#include "store/testing/rocksdb_world.h"

namespace muster::store {
namespace rocksdb_journal_test {

using testing::AnyOf;
using testing::HasSubstr;

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
    for (const std::string format : {"1", "7", "10"}) {
        std::ofstream(at("data/format")) << "muster store format " + format + "\n";
        World world(at("data"));
        ASSERT_TRUE(world.error);
        EXPECT_EQ(world.error->code, Code::kInvalid);
        EXPECT_THAT(world.error->message, HasSubstr("format " + format));
        EXPECT_THAT(world.error->message, HasSubstr("format 2"));
        const bool later = format != "1";
        EXPECT_EQ(world.error->message.find("a later version of muster wrote the directory") != std::string::npos,
                  later);
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
        World world(at("data"));  // finds 99 parts that no object uses, and drops them with the next group
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

TEST_F(RocksdbJournalTest, OtherUsersCannotReadTheStore) {
    const fs::perms others = fs::perms::group_all | fs::perms::others_all;
    fs::create_directories(at("data/db"));
    for (const char* name : {"data", "data/db"}) fs::permissions(at(name), others | fs::perms::owner_all);
    const World world(at("data"));
    ASSERT_FALSE(world.error) << format_error(*world.error);
    for (const char* name : {"data/db", "data/lock", "data/format"})
        EXPECT_EQ(fs::status(at(name)).permissions() & others, fs::perms::none) << name;
}

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

}  // namespace rocksdb_journal_test
}  // namespace muster::store
