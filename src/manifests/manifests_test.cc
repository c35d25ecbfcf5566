#include "manifests/manifests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <set>

#include "api/codec/decode.h"
#include "api/kinds/kind_list.h"
#include "api/security/pod_security.h"
#include "assembly/permissions.h"

namespace muster::manifests {
namespace manifests_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

Settings settings_of(const std::function<void(Settings&)>& change = {}) {
    Settings settings;
    settings.image = "muster-controllers:1";
    if (change) change(settings);
    return settings;
}
Plan plan_of(const std::function<void(Settings&)>& change = {}) { return check_settings(settings_of(change)).value(); }
Objects all_objects(const Plan& plan, const std::vector<std::string>& parts = {}) {
    return make_objects(plan, parts).value();
}

std::string text_of(const Object& object, const char* key) { return std::string(object.at(key).as_string()); }
std::string name_of(const Object& object) { return text_of(object.at("metadata").as_object(), "name"); }
Objects of_kind(const Objects& objects, std::string_view kind) {
    Objects found;
    for (const Object& object : objects)
        if (object.at("kind").as_string() == kind) found.push_back(object);
    return found;
}
std::vector<std::string> strings(const Tree& array) {
    std::vector<std::string> all;
    for (const Tree& element : array.as_array()) all.emplace_back(element.as_string());
    return all;
}

// Every sort of installation.
std::vector<Plan> plans() {
    return {
        plan_of(),
        plan_of([](Settings& s) { s.monitoring = true; }),
        plan_of([](Settings& s) { s.controllers = "job,pod-ttl"; }),
        plan_of([](Settings& s) { s.admission = "policies"; }),
        plan_of([](Settings& s) {
            s.controllers = "job";
            s.admission = "policies";
        }),
        plan_of([](Settings& s) { s.queue_versions = "v1beta1,v1beta2"; }),
        plan_of([](Settings& s) { s.certificates = "cert-manager"; }),
        plan_of([](Settings& s) {
            s.controllers = "job,ttl";
            s.only_namespace = "lab";
        }),
    };
}

// What the decoder says of an object of a kind that is declared here, or nothing.
std::string strict_problem(const Object& object) {
    std::string problem;
    api::for_each_kind<api::StoredKinds>([&]<class K>() {
        const api::KindInfo& kind = api::kind_info<K>();
        if (text_of(object, "apiVersion") != kind.api_version() || text_of(object, "kind") != kind.kind) return;
        const Result<K> read = api::from_json<K>(boost::json::serialize(object));
        if (!read.ok()) problem = format_error(read.error());
    });
    return problem;
}

TEST(Manifests, ObjectsOfDeclaredKindsHaveNoUnknownFields) {
    for (const Plan& plan : plans())
        for (const Object& object : all_objects(plan)) EXPECT_EQ(strict_problem(object), "") << name_of(object);
}

TEST(Manifests, ThePodsAreWhatTheirNamespaceAllows) {
    for (const Plan& plan : plans()) {
        const Objects deployments = of_kind(all_objects(plan), "Deployment");
        ASSERT_EQ(deployments.size(), 1u);
        const std::string text = boost::json::serialize(deployments[0].at("spec").at("template"));
        const auto pod = api::from_json<api::core::PodTemplateSpec>(text);
        ASSERT_TRUE(pod.ok()) << format_error(pod.error());
        const api::SecurityPolicy restricted{api::SecurityLevel::kRestricted};
        EXPECT_EQ(api::format_details(api::check_pod_security(restricted, pod->metadata, pod->spec)), "");
    }
}

TEST(Manifests, TheServiceSelectsThePods) {
    const Objects objects = all_objects(plan_of());
    const Object labels =
        of_kind(objects, "Deployment")[0].at("spec").at("template").at("metadata").at("labels").as_object();
    for (const Object& service : of_kind(objects, "Service"))
        for (const auto& [key, value] : service.at("spec").at("selector").as_object())
            EXPECT_EQ(labels.at(key), value) << name_of(service);
    EXPECT_EQ(of_kind(objects, "Service").size(), 2u);
}

// "batch jobs/status patch muster"
std::set<std::string> granted(const Objects& objects) {
    std::set<std::string> all;
    for (const char* kind : {"ClusterRole", "Role"})
        for (const Object& role : of_kind(objects, kind)) {
            const auto bound = of_kind(objects, std::string(kind) + "Binding");
            if (std::none_of(bound.begin(), bound.end(),
                             [&](const Object& one) { return name_of(one) == name_of(role); }))
                continue;
            for (const Tree& rule : role.at("rules").as_array())
                for (const std::string& verb : strings(rule.at("verbs")))
                    all.insert(strings(rule.at("apiGroups"))[0] + " " + strings(rule.at("resources"))[0] + " " + verb);
        }
    return all;
}

TEST(Manifests, TheAccountHasTheRightsOfTheTableAndNoOthers) {
    for (const Plan& plan : plans()) {
        std::set<std::string> wanted;
        for (const std::string& part : plan.parts())
            for (const Permission& row : permissions_of(part))
                for (const std::string_view verb : row.verbs)
                    if (!plan.is_local() || row.reach == Reach::kWork || row.reach == Reach::kHome)
                        wanted.insert(std::string(row.group) + " " + std::string(row.resource) + " " +
                                      std::string(verb));
        EXPECT_EQ(granted(all_objects(plan)), wanted);
    }
}

TEST(Manifests, RolesNameTheObjectsThatArePrinted) {
    const Objects objects = all_objects(plan_of());
    std::set<std::string> names;
    for (const Object& object : objects) names.insert(text_of(object, "kind") + " " + name_of(object));
    EXPECT_THAT(names, IsSupersetOf({"MutatingWebhookConfiguration " + std::string(kWebhookName),
                                     "ValidatingWebhookConfiguration " + std::string(kWebhookName)}));
    for (const Permission& row : permissions_of(kWebhookPart)) {
        if (row.resource != "customresourcedefinitions") continue;
        for (const std::string_view name : row.names)
            EXPECT_TRUE(names.contains("CustomResourceDefinition " + std::string(name))) << name;
    }
}

TEST(Manifests, OneNamespaceNeedsNothingOfTheCluster) {
    for (const Object& object : all_objects(plans().back())) {
        const Object& metadata = object.at("metadata").as_object();
        ASSERT_TRUE(metadata.contains("namespace")) << name_of(object);
        EXPECT_EQ(text_of(metadata, "namespace"), "lab");
    }
}

TEST(Manifests, PoliciesNeedNoServer) {
    const Objects objects = all_objects(plan_of([](Settings& s) { s.admission = "policies"; }));
    EXPECT_THAT(of_kind(objects, "MutatingWebhookConfiguration"), IsEmpty());
    EXPECT_THAT(of_kind(objects, "MutatingAdmissionPolicy"), Not(IsEmpty()));
    EXPECT_EQ(of_kind(objects, "Service").size(), 1u);
    EXPECT_EQ(granted(objects).count(" secrets patch"), 0u);
}

TEST(Manifests, WithoutQueuesAPolicyGivesJobsToMuster) {
    const Objects objects = all_objects(plan_of([](Settings& s) {
        s.controllers = "job";
        s.admission = "policies";
    }));
    ASSERT_EQ(of_kind(objects, "MutatingAdmissionPolicy").size(), 1u);
    EXPECT_EQ(of_kind(objects, "MutatingAdmissionPolicyBinding").size(), 1u);
    EXPECT_THAT(of_kind(objects, "ValidatingAdmissionPolicy"), IsEmpty());
}

TEST(Manifests, PartsArePrintedAloneAndTogetherTheSame) {
    const Plan plan = plan_of([](Settings& s) { s.monitoring = true; });
    std::string parts;
    for (const std::string& part : part_names()) {
        const std::string text = format_objects(all_objects(plan, {part}));
        EXPECT_FALSE(text.empty()) << part;
        parts += (parts.empty() ? "" : "---\n") + text;
    }
    EXPECT_EQ(format_objects(all_objects(plan)), parts);
}

TEST(Manifests, ADefinitionComesBeforeAndAWebhookAfterTheProcess) {
    std::vector<std::string> kinds;
    for (const Object& object : all_objects(plan_of())) kinds.push_back(text_of(object, "kind"));
    const auto first = [&](const char* kind) { return std::find(kinds.begin(), kinds.end(), kind) - kinds.begin(); };
    EXPECT_EQ(first("Namespace"), 0);
    EXPECT_LT(first("CustomResourceDefinition"), first("Deployment"));
    EXPECT_LT(first("ClusterRoleBinding"), first("Deployment"));
    EXPECT_LT(first("Deployment"), first("MutatingWebhookConfiguration"));
}

TEST(Manifests, BadSettingsAreRefusedWithTheirFlag) {
    struct Case {
        std::function<void(Settings&)> change;
        const char* message;
    };
    const Case cases[] = {
        {[](Settings& s) { s.namespace_ = "Muster"; }, "--namespace=Muster: "},
        {[](Settings& s) { s.image = "a b"; }, "--image=a b: "},
        {[](Settings& s) { s.controllers = "garbage"; }, "--controllers=garbage: 'garbage' does not run on a cluster"},
        {[](Settings& s) { s.controllers = ""; }, "--controllers=: "},
        {[](Settings& s) { s.controllers = "webhook"; }, "--controllers=webhook: "},
        {[](Settings& s) { s.job_mode = "some"; }, "--job-mode=some: must be one of managed-by, all"},
        {[](Settings& s) { s.replicas = 0; }, "--replicas=0: must be 1 to 100"},
        {[](Settings& s) { s.admission = "both"; }, "--admission=both: must be one of webhook, policies, none"},
        {[](Settings& s) { s.certificates = "mine"; }, "--webhook-certificates=mine: "},
        {[](Settings& s) { s.queue_versions = "v1"; }, "--queue-versions=v1: "},
        {[](Settings& s) {
             s.queue_versions = "v1beta1,v1beta2";
             s.admission = "policies";
         },
         "v1beta1 is converted by the webhook"},
        {[](Settings& s) { s.log_format = "xml"; }, "--pod-log-format=xml: "},
        {[](Settings& s) { s.only_namespace = "lab"; }, "--only-namespace=lab: queues are of the whole cluster"},
    };
    for (const Case& one : cases) {
        const auto plan = check_settings(settings_of(one.change));
        ASSERT_FALSE(plan.ok()) << one.message;
        EXPECT_THAT(plan.error().message, HasSubstr(one.message));
    }
}

TEST(Manifests, APartThatIsNoneIsRefused) {
    EXPECT_THAT(make_objects(plan_of(), {"crd"}).error().message, HasSubstr("there is no part 'crd'; parts are"));
    const Plan jobs = plan_of([](Settings& s) { s.controllers = "job"; });
    EXPECT_THAT(make_objects(jobs, {"crds"}).error().message, HasSubstr("queue is not among --controllers"));
}

}  // namespace manifests_test
}  // namespace muster::manifests
