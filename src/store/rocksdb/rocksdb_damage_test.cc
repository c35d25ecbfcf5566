// Stores whose files are damaged, cut short or gone: noticed, named and never taken for something else.
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
namespace rocksdb_damage_test {

using testing::AnyOf;
using testing::HasSubstr;

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
    EXPECT_TRUE(World(at("data")).error) << "RocksDB would create an empty database and remove what is there";
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

}  // namespace rocksdb_damage_test
}  // namespace muster::store
