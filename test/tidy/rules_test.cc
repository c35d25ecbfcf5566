#include "tidy/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::tidy {
namespace rules_test {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

SourceFile including(std::string path, const std::string& included) {
    return {std::move(path), "// A file.\n#include \"" + included + "\"\n"};
}

TEST(Rules, AFolderIncludesItselfAndWhatItStandsOn) {
    EXPECT_THAT(check_includes(including("src/base/text.cc", "base/text.h")), IsEmpty());
    EXPECT_THAT(check_includes(including("src/store/journal.h", "os/loop/loop.h")), IsEmpty());
    EXPECT_THAT(check_includes(including("src/server/routes.cc", "store/object.h")), IsEmpty());
    EXPECT_THAT(check_includes(including("src/controllers/job/decide.h", "tally/tally.h")), IsEmpty());
    EXPECT_THAT(check_includes(including("src/main/main.cc", "server/server.h")), IsEmpty());
    EXPECT_THAT(check_includes({"src/os/net.cc", "#include <boost/asio.hpp>\n"}), IsEmpty());
}

TEST(Rules, AnIncludeAgainstTheDirectionIsFound) {
    EXPECT_THAT(check_includes(including("src/base/text.h", "api/schema/declare.h")),
                ElementsAre("src/base/text.h:2: base may not include api/schema/declare.h"));
    EXPECT_THAT(check_includes(including("src/store/journal.cc", "api/schema/declare.h")), SizeIs(1));
    EXPECT_THAT(check_includes(including("src/controllers/ttl/controller.cc", "store/object.h")), SizeIs(1));
    EXPECT_THAT(check_includes(including("src/scheduler/decide.h", "node/agent.h")), SizeIs(1));
    EXPECT_THAT(check_includes(including("src/api/json.cc", "os/loop/loop.h")), SizeIs(1));
    EXPECT_THAT(check_includes(including("src/main/main.cc", "sim/world.h")), SizeIs(1));
    EXPECT_THAT(check_includes(including("src/os/loop/loop.cc", "loop.h")), SizeIs(1));
    EXPECT_THAT(check_includes(including("src/unheard_of/thing.h", "base/text.h")), SizeIs(1));
}

TEST(Rules, ControllersDoNotIncludeEachOther) {
    EXPECT_THAT(check_includes(including("src/controllers/job/decide.h", "controllers/ttl/decide.h")), SizeIs(1));
    EXPECT_THAT(check_includes(including("src/controllers/job/decide.cc", "controllers/job/decide.h")), IsEmpty());
    EXPECT_THAT(check_includes(including("src/controllers/job/decide.cc", "controllers/owners.h")), IsEmpty());
}

TEST(Rules, OnlyTestsIncludeATestingFolder) {
    EXPECT_THAT(check_includes(including("src/store/journal.cc", "os/testing/virtual_loop.h")), SizeIs(1));
    EXPECT_THAT(check_includes(including("src/store/journal_test.cc", "os/testing/virtual_loop.h")), IsEmpty());
    EXPECT_THAT(check_includes(including("src/os/testing/virtual_loop.cc", "os/testing/virtual_loop.h")), IsEmpty());
}

TEST(Rules, AFolderWithTooManyFilesIsFound) {
    SourceTree tree;
    for (int i = 0; i < 40; ++i) tree.files.push_back({"src/a/b/file" + std::to_string(i) + ".cc", ""});
    tree.files.push_back({"src/a/file.cc", ""});
    tree.files.push_back({"src/a/b/README.md", ""});
    EXPECT_THAT(check_folder_sizes(tree), IsEmpty());
    tree.files.push_back({"src/a/b/one_more.h", ""});
    EXPECT_THAT(check_folder_sizes(tree), SizeIs(1));
}

TEST(Rules, FoldersThatIncludeEachOtherAreFound) {
    const struct {
        const char* sentence;
        std::vector<SourceFile> files;
        std::size_t findings;
    } cases[] = {
        {"one way", {including("src/a/b/x.h", "a/y.h"), including("src/a/c/z.h", "a/b/x.h")}, 0},
        {"two folders", {including("src/a/b/x.h", "a/c/y.h"), including("src/a/c/z.h", "a/b/x.h")}, 1},
        {"a folder and the one above it", {including("src/a/b/x.h", "a/y.h"), including("src/a/z.h", "a/b/x.h")}, 1},
        {"three folders",
         {including("src/a/b/x.h", "a/c/y.h"), including("src/a/c/y.h", "a/d/z.h"),
          including("src/a/d/z.h", "a/b/x.h")},
         1},
        {"a test may look the other way",
         {including("src/a/b/x.h", "a/c/y.h"), including("src/a/c/z_test.cc", "a/b/x.h")},
         0},
        {"files of one folder", {including("src/a/b/x.h", "a/b/y.h"), including("src/a/b/y.h", "a/b/x.h")}, 0},
    };
    for (const auto& [sentence, files, findings] : cases)
        EXPECT_THAT(check_folder_circles({files}), SizeIs(findings)) << sentence;
}

TEST(Rules, ASystemCallIsFoundAndWhatOnlyLooksLikeOneIsNot) {
    const struct {
        const char* line;
        bool breach;
    } cases[] = {
        {"std::thread worker;", true},
        {"auto now = std::chrono::system_clock::now();", true},
        {"int file = ::open(path, O_RDONLY);", true},
        {"if (fork() == 0) return;", true},
        {"if (::fork() == 0) return;", true},
        {"#include <sys/stat.h>", true},
        {"std::ofstream out(path);", true},
        {"const int s = ::socket(AF_INET, SOCK_STREAM, 0);", true},
        {"std::threading thing;", false},
        {"store.fork();", false},
        {"store->fork();", false},
        {"Result<> Journal::open(const std::string& path) {", false},
        {"rocksdb::DB::Open(options, path, &db);", false},
        {"spork();", false},
        {"int x;  // not a std::thread", false},
        {"Instant now = loop.now();", false},
    };
    for (const auto& [line, breach] : cases)
        EXPECT_EQ(!check_system_calls({"src/store/a.cc", line}).empty(), breach) << line;
}

TEST(Rules, ASystemCallIsToldWithItsReplacement) {
    EXPECT_THAT(check_system_calls({"src/store/a.cc", "int x;\nstd::thread t;\n"}),
                ElementsAre("src/store/a.cc:2: std::thread: use os::Worker and os::offload"));
    EXPECT_THAT(check_system_calls({"src/os/a.cc", "std::thread t;\n"}), IsEmpty());
    EXPECT_THAT(check_system_calls({"src/store/a_test.cc", "std::thread t;\n"}), IsEmpty());
}

TEST(Rules, AFileOfMoreThanEightHundredLinesIsFound) {
    EXPECT_THAT(check_length({"src/a.cc", std::string(800, '\n')}), IsEmpty());
    EXPECT_THAT(check_length({"src/a.cc", std::string(801, '\n')}), SizeIs(1));
    EXPECT_THAT(check_length({"docs/a.md", std::string(801, '\n')}), IsEmpty());
}

TEST(Rules, MarksTabsAndEmptyNamesAreFound) {
    EXPECT_THAT(check_unfinished({"src/a.cc", std::string("int a;\n// TO") + "DO: more\n"}), SizeIs(1));
    EXPECT_THAT(check_tabs({"src/a.cc", "int a;\n\tint b;\n"}), ElementsAre("src/a.cc:2: has a tab"));
    EXPECT_THAT(check_tabs({"Makefile", "all:\n\ttrue\n"}), IsEmpty());
    EXPECT_THAT(check_name({"src/base/string_utils.h", ""}), SizeIs(1));
    EXPECT_THAT(check_name({"src/common/text.h", ""}), SizeIs(1));
    EXPECT_THAT(check_name({"src/base/simple_text.h", ""}), IsEmpty());
}

TEST(Rules, AnUnnamedNamespaceIsFoundInATest) {
    const std::string unnamed = "namespace muster {\nnamespace {\nint a;\n}  // namespace\n}  // namespace muster\n";
    EXPECT_THAT(check_test_namespace({"src/base/text_test.cc", unnamed}),
                ElementsAre("src/base/text_test.cc:2: name the namespace after the file"));
    EXPECT_THAT(check_test_namespace({"src/base/text.cc", unnamed}), IsEmpty());
    EXPECT_THAT(check_test_namespace({"src/base/text_test.cc", "namespace muster {\nnamespace text_test {\n"}),
                IsEmpty());
}

TEST(Rules, ARefusedWordIsFoundAsAWordAndInAName) {
    const std::string person = std::string("no") + "body";
    const std::string again = std::string("an") + "ew";
    const struct {
        std::string line;
        bool found;
    } cases[] = {
        {"// " + person + " waits", true},
        {"// N" + person.substr(1) + " waits", true},
        {"// it is made " + again, true},
        {"TEST(Loop, TellsN" + person.substr(1) + "AboutIt) {", true},
        {"spec.user = \"" + person + "\";", false},
        {"runs as `" + person + "`", false},
        {"TEST(Timers, AnOldIdNeverNamesANewTimer) {", false},
        {"// a node that was renewed", false},
    };
    for (const auto& [line, found] : cases) EXPECT_EQ(!check_words({"src/a.cc", line}).empty(), found) << line;
}

TEST(Rules, AHeaderWithoutItsStartIsFound) {
    EXPECT_THAT(check_header({"src/a.h", "// What it is.\n#pragma once\n"}), IsEmpty());
    EXPECT_THAT(check_header({"src/a.h", "#pragma once\n"}), SizeIs(2));
    EXPECT_THAT(check_header({"src/a.h", "// What it is.\nint a;\n"}), SizeIs(1));
    EXPECT_THAT(check_header({"src/a.cc", "int a;\n"}), IsEmpty());
}

TEST(Rules, ASourceThatSaysNowhereWhatItIsIsFound) {
    const SourceTree tree{{{"src/a.h", ""}, {"src/b.cc", ""}}};
    EXPECT_THAT(check_introduced({"src/a.cc", "int a;\n"}, tree), IsEmpty());
    EXPECT_THAT(check_introduced({"src/a_test.cc", "int a;\n"}, tree), IsEmpty());
    EXPECT_THAT(check_introduced({"src/b_test.cc", "int a;\n"}, tree), IsEmpty());
    EXPECT_THAT(check_introduced({"src/b.cc", "int a;\n"}, tree), SizeIs(1));
    EXPECT_THAT(check_introduced({"src/b.cc", "// What it is.\nint a;\n"}, tree), IsEmpty());
    EXPECT_THAT(check_introduced({"src/c_test.cc", "int a;\n"}, tree), SizeIs(1));
}

TEST(Rules, ADocumentThatNamesWhatIsNotThereIsFound) {
    const SourceTree tree{{{"src/base/text.h", "int run_it();\n"}}};
    EXPECT_THAT(check_document({"README.md", "See `src/base/text.h`, `src/base/`, `run_it()`, `a/b`.\n"}, tree),
                IsEmpty());
    EXPECT_THAT(check_document({"README.md", "See `src/base/gone.h`.\n"}, tree),
                ElementsAre("README.md:1: src/base/gone.h is not in the tree"));
    EXPECT_THAT(check_document({"README.md", "See `run_that()`.\n"}, tree), SizeIs(1));
    EXPECT_THAT(check_document({"README.md", "See `src/**/*_test.cc`.\n"}, tree), IsEmpty());

    const SourceTree tested{
        {{"src/base/text_test.cc", "TEST_F(Text, IsShort) {\n"}, {"src/base/text.h", "(Text, Is)"}}};
    EXPECT_THAT(check_document({"README.md", "See `Text.IsShort`, `e.g.Text`, `Text.is_short`.\n"}, tested), IsEmpty());
    EXPECT_THAT(check_document({"README.md", "See `Text.Is`.\n"}, tested),
                ElementsAre("README.md:1: there is no test Text.Is"));
}

}  // namespace rules_test
}  // namespace muster::tidy
