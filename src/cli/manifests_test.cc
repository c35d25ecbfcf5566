#include "cli/manifests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <sstream>

#include "api/kinds/all.h"
#include "cli/command_line.h"
#include "manifests/manifests.h"
#include "server/table/print.h"

namespace muster::cli {
namespace manifests_test {

using testing::HasSubstr;
using testing::StartsWith;

struct Outcome {
    int exit_code;
    std::string out;
    std::string err;
};

Outcome run(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), {"muster", "manifests"});
    std::ostringstream out;
    std::ostringstream err;
    const int exit_code = run_command_line(static_cast<int>(arguments.size()), arguments.data(), {out, err});
    return {exit_code, out.str(), err.str()};
}

TEST(ManifestsVerb, PrintsDocumentsThatBeginWithTheNamespace) {
    const Outcome outcome = run({"-n", "batch-system"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, StartsWith("apiVersion: v1\nkind: Namespace\n"));
    EXPECT_THAT(outcome.out, HasSubstr("\n---\napiVersion: apps/v1\n"));
    EXPECT_EQ(outcome.out.find("muster-system"), std::string::npos);
}

TEST(ManifestsVerb, PrintsAList) {
    const Outcome outcome = run({"rbac", "-o", "json"});
    const auto list = boost::json::parse(outcome.out);
    EXPECT_EQ(list.at("kind").as_string(), "List");
    EXPECT_EQ(list.at("items").at(0).at("kind").as_string(), "ServiceAccount");
}

TEST(ManifestsVerb, RefusesWhatItDoesNotKnow) {
    struct Case {
        std::vector<const char*> arguments;
        const char* message;
    };
    const Case cases[] = {
        {{"role"}, "there is no part 'role'"},
        {{"-o", "xml"}, "--output=xml: must be yaml or json"},
        {{"--controllers", "scheduler"}, "'scheduler' does not run on a cluster"},
        {{"--replicas", "many"}, "--replicas"},
        {{"--colour"}, "unknown flag: --colour"},
    };
    for (const Case& one : cases) {
        const Outcome outcome = run(one.arguments);
        EXPECT_EQ(outcome.exit_code, 2) << one.message;
        EXPECT_THAT(outcome.err, HasSubstr(one.message));
        EXPECT_EQ(outcome.out, "");
    }
}

// The name comes first and is not said in a definition.
std::vector<std::string> own_columns(const api::KindInfo& kind) {
    std::vector<std::string> names;
    for (const server::Column& column : server::printer_of(kind).columns.subspan(1)) names.emplace_back(column.name);
    return names;
}

TEST(ManifestsVerb, DefinitionsHaveTheColumnsOfTheServersTables) {
    const auto list = boost::json::parse(run({"crds", "-o", "json", "--queue-versions", "v1beta1,v1beta2"}).out);
    for (const auto& definition : list.at("items").as_array()) {
        const auto& spec = definition.at("spec");
        for (const auto& version : spec.at("versions").as_array()) {
            const api::KindInfo* kind = api::find_kind(spec.at("group").as_string(), version.at("name").as_string(),
                                                       spec.at("names").at("kind").as_string());
            ASSERT_NE(kind, nullptr);
            std::vector<std::string> names;
            for (const auto& column : version.at("additionalPrinterColumns").as_array())
                names.emplace_back(column.at("name").as_string());
            EXPECT_EQ(names, own_columns(*kind)) << kind->kind;
        }
    }
}

}  // namespace manifests_test
}  // namespace muster::cli
