#include "controllers/job/success_policy.h"

#include "controllers/job/testing/cases.h"

namespace muster::controllers::jobs {
namespace success_policy_test {

using tally::IndexSet;

TEST(SuccessPolicy, Table) {
    struct Case {
        const char* name;
        const char* rules;
        const char* succeeded;
        const char* want;
    } cases[] = {
        {"nothing has succeeded", "{'succeededCount': 0}", "", ""},
        {"enough of any", "{'succeededCount': 2}", "0,5", "Matched rules at index 0"},
        {"not enough of any", "{'succeededCount': 3}", "0,5", ""},
        {"all that are listed", "{'succeededIndexes': '0,2-4'}", "0-5", "Matched rules at index 0"},
        {"one of the list is missing", "{'succeededIndexes': '0,2-4'}", "0,2,4", ""},
        {"enough of the list", "{'succeededIndexes': '0,2-4', 'succeededCount': 3}", "0,2,4,9",
         "Matched rules at index 0"},
        {"others do not help", "{'succeededIndexes': '0,2-4', 'succeededCount': 3}", "0,2,7-9", ""},
        {"the first rule that holds is named",
         "{'succeededIndexes': '9'}, {'succeededIndexes': '1'}, {'succeededCount': 1}", "1",
         "Matched rules at index 1"},
        {"a list that cannot be read is skipped", "{'succeededIndexes': 'x'}, {'succeededCount': 1}", "1",
         "Matched rules at index 1"},
        {"a list of indexes that scaling down took away is skipped", "{'succeededIndexes': '20-30'}", "1", ""},
    };
    for (const Case& c : cases) {
        const auto policy =
            api::make_object<api::batch::SuccessPolicy>("{}", std::string("{'rules': [") + c.rules + "]}");
        EXPECT_EQ(match_success_policy(&policy, 10, IndexSet::parse(c.succeeded, 10)).value_or(""), c.want) << c.name;
    }
    EXPECT_EQ(match_success_policy(nullptr, 10, IndexSet::parse("0-9", 10)), std::nullopt);
}

}  // namespace success_policy_test
}  // namespace muster::controllers::jobs
