#include "api/schema/declare.h"

#include <gtest/gtest.h>

namespace muster::api {
namespace declare_test {

constexpr const char* kPackage = "test.v1";

struct Leaf {
    TYPE(Leaf, "A leaf.")
    FIELD(1, Text, name, "Its name.", .required = true)
    FIELD(3, std::optional<std::int32_t>, host_port, "A port.")
};
struct Tree {
    TYPE(Tree, "A tree.")
    FIELD(1, Text, pod_ip, "An address.", .json = "podIP")
    FIELD(2, Leaf, source, "Inlined.", .inlined = true)
    FIELD(5, List<Leaf>, leaves, "Leaves.", .patch = Patch::kMerge, .merge_key = "name")
    FIELD(6, Map<Text>, labels, "Labels.")
    FIELD(7, Box<Leaf>, fruit, "Fruit.")
};
DEFINE_TYPE(Leaf)
DEFINE_TYPE(Tree)

TEST(Declare, AJsonNameIsTheMembersNameInCamelCaseUnlessGiven) {
    EXPECT_TRUE(Tree::info().find("podIP"));
    EXPECT_TRUE(Leaf::info().find("hostPort"));
    EXPECT_FALSE(Leaf::info().find("host_port"));
}

TEST(Declare, AnInlinedStructsFieldsStandInTheParent) {
    const FieldInfo* field = Tree::info().find("hostPort");
    ASSERT_TRUE(field);
    EXPECT_EQ(field->offset, offsetof(Tree, source) + offsetof(Leaf, host_port));
    EXPECT_FALSE(Tree::info().find("source"));
    EXPECT_EQ(Tree::info().fields.size(), 5u);
}

TEST(Declare, FieldsAreInProtobufOrder) {
    std::vector<int> numbers;
    for (const FieldInfo& field : Tree::info().fields) numbers.push_back(field.number);
    EXPECT_EQ(numbers, (std::vector<int>{1, 2, 5, 6, 7}));
}

TEST(Declare, ADeclaredTypeIsAnAggregateThatCopiesAndCompares) {
    Tree tree{.pod_ip = "10.0.0.1", .leaves = {Leaf{.name = "a", .host_port = 0}}, .labels = {{"k", "v"}}};
    Tree copy = tree;
    EXPECT_EQ(copy, tree);
    EXPECT_EQ(copy.leaves.data(), tree.leaves.data());
    copy.leaves.edit()[0].name = "b";
    EXPECT_NE(copy, tree);
    EXPECT_EQ(tree.leaves[0].name, "a");
}

}  // namespace declare_test
}  // namespace muster::api
