// The tree keeps its own rules. Each test is one rule over every file; rules_test.cc shows that the rules bite.
#include <gtest/gtest.h>

#include "tidy/rules.h"

namespace muster::tidy {
namespace tidy_test {

const SourceTree& tree() {
    static const SourceTree read = read_tree(MUSTER_ROOT);
    return read;
}

std::string joined(const Findings& findings) {
    std::string all;
    for (const std::string& finding : findings) all += finding + "\n";
    return all;
}

template <class Rule>
std::string findings_of(Rule rule) {
    std::string all;
    for (const SourceFile& file : tree().files) all += joined(rule(file));
    return all;
}

TEST(Tidy, TheTreeIsThere) {
    EXPECT_TRUE(tree().has("src/base/result.h"));
    EXPECT_TRUE(tree().has("test/tidy/tidy_test.cc"));
    EXPECT_TRUE(tree().has("README.md"));
    EXPECT_TRUE(tree().has("Makefile"));
    EXPECT_TRUE(tree().has("scripts/setup"));
}

TEST(Tidy, DependenciesPointOneWay) { EXPECT_EQ(findings_of(check_includes), ""); }
TEST(Tidy, NoFolderHasTooManyFiles) { EXPECT_EQ(joined(check_folder_sizes(tree())), ""); }
TEST(Tidy, FoldersDoNotIncludeEachOtherInCircles) { EXPECT_EQ(joined(check_folder_circles(tree())), ""); }
TEST(Tidy, OnlyOsTouchesTheSystem) { EXPECT_EQ(findings_of(check_system_calls), ""); }
TEST(Tidy, NoFileIsTooLong) { EXPECT_EQ(findings_of(check_length), ""); }
TEST(Tidy, NothingIsMarkedUnfinished) { EXPECT_EQ(findings_of(check_unfinished), ""); }
TEST(Tidy, SentencesNameTheirSubjects) { EXPECT_EQ(findings_of(check_words), ""); }
TEST(Tidy, ThereAreNoTabs) { EXPECT_EQ(findings_of(check_tabs), ""); }
TEST(Tidy, TestFilesHaveNamespacesOfTheirOwn) { EXPECT_EQ(findings_of(check_test_namespace), ""); }
TEST(Tidy, FileNamesSaySomething) { EXPECT_EQ(findings_of(check_name), ""); }
TEST(Tidy, HeadersStartWithWhatTheyAre) { EXPECT_EQ(findings_of(check_header), ""); }
TEST(Tidy, EverySourceIsIntroduced) {
    EXPECT_EQ(findings_of([](const SourceFile& file) { return check_introduced(file, tree()); }), "");
}
TEST(Tidy, DocumentsNameOnlyWhatExists) {
    EXPECT_EQ(findings_of([](const SourceFile& file) { return check_document(file, tree()); }), "");
}

}  // namespace tidy_test
}  // namespace muster::tidy
