#include "api/registry/kind_column.h"

#include <gtest/gtest.h>

#include "api/registry/defined_kind.h"

namespace muster::api {
namespace kind_column_test {

const DefinedKind kWidget{.group = "example.dev", .version = "v1", .kind = "Widget", .plural = "widgets"};

TEST(KindColumn, HasThePropertyOfEachKindOfItsList) {
    KindColumn<std::string> column(KindList<core::Pod, batch::Job>{},
                                   []<class K>() { return std::string(K::kTypeName); });
    EXPECT_EQ(*column.find(kind_info<core::Pod>()), "Pod");
    EXPECT_EQ(column.of(kind_info<batch::Job>()), "Job");
    EXPECT_EQ(column.find(kind_info<core::Secret>()), nullptr);
    EXPECT_EQ(column.find(kind_info_of(kWidget)), nullptr);
    EXPECT_DEATH(column.of(kind_info<core::Secret>()), "Secret");
    column.set(defined_row(true, false), "defined");
    EXPECT_EQ(column.of(kind_info_of(kWidget)), "defined");
    EXPECT_DEATH(column.set(defined_row(true, false), "again"), "once");
    const KindInfo only_a_name{"apps", "v1", "Deployment", {}, nullptr};
    EXPECT_EQ(column.find(only_a_name), nullptr);
}

TEST(DefinedKind, HasOneHandleForEachDefinition) {
    const KindInfo& widget = kind_info_of(kWidget);
    EXPECT_EQ(&kind_info_of(DefinedKind(kWidget)), &widget);
    EXPECT_TRUE(widget.is_defined());
    EXPECT_FALSE(widget.is_only_name());
    EXPECT_STREQ(widget.kind, "Widget");
    EXPECT_EQ(widget.api_version(), "example.dev/v1");
    EXPECT_EQ(&widget.type(), &DefinedObject::info());
    DefinedKind other = kWidget;
    other.namespaced = false;
    EXPECT_NE(&kind_info_of(other), &widget);
    EXPECT_NE(kind_info_of(other).row, widget.row);
    EXPECT_FALSE(kind_info<core::Pod>().is_defined());
    EXPECT_FALSE(kind_info<core::Pod>().is_only_name());
}

}  // namespace kind_column_test
}  // namespace muster::api
