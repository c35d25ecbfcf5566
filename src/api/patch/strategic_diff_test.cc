// The strategic patch between two random objects makes one of the other, and does not disturb what others added.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <random>

#include "api/patch/strategic_merge.h"
#include "api/patch/testing/quoted_json.h"
#include "api/patch/testing/sample_type.h"

namespace muster::api {
namespace strategic_diff_test {

using sample::Sample;

namespace json = boost::json;

class Samples {
public:
    explicit Samples(unsigned seed) : random_(seed) {}

    json::object sample() {
        json::object spec;
        maybe(spec, "containers", [&] { return elements("name", [&](json::object& c) { fill_container(c); }); });
        maybe(spec, "volumes", [&] { return elements("name", [&](json::object& v) { fill_volume(v); }); });
        maybe(spec, "tolerations", [&] { return elements("name", [](json::object&) {}); });
        maybe(spec, "strategy", [&] { return map(); });
        maybe(spec, "extension", [&] { return map(); });
        maybe(spec, "parallelism", [&] { return json::value(pick(3)); });
        json::object metadata;
        maybe(metadata, "labels", [&] { return map(); });
        maybe(metadata, "finalizers", [&] { return scalars(); });
        return {{"metadata", metadata}, {"spec", spec}};
    }
    int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

private:
    template <class Make>
    void maybe(json::object& object, const char* name, Make make) {
        if (pick(4) != 0) object[name] = make();
    }
    std::vector<std::string> names() {
        std::vector<std::string> all = {"a", "b", "c", "d", "e"};
        std::shuffle(all.begin(), all.end(), random_);
        all.resize(static_cast<std::size_t>(pick(5)));
        return all;
    }
    json::value map() {
        json::object members;
        for (const auto& name : names()) members[name] = std::to_string(pick(3));
        return members;
    }
    json::value scalars() {
        json::array list;
        for (const auto& name : names()) list.push_back(json::string(name));
        return list;
    }
    template <class Fill>
    json::value elements(const char* key, Fill fill) {
        json::array list;
        for (const auto& name : names()) {
            json::object element;
            element[key] = name;
            fill(element);
            list.push_back(element);
        }
        return list;
    }
    void fill_container(json::object& container) {
        maybe(container, "image", [&] { return json::value(std::to_string(pick(3))); });
        maybe(container, "command", [&] { return scalars(); });
        maybe(container, "env",
              [&] { return elements("name", [&](json::object& env) { env["value"] = std::to_string(pick(2)); }); });
        maybe(container, "ports", [&] {
            json::value ports = elements("protocol", [&](json::object&) {});
            int number = 80;
            for (auto& port : ports.get_array()) port.get_object()["containerPort"] = number++;
            return ports;
        });
    }
    void fill_volume(json::object& volume) {
        volume[pick(2) == 0 ? "emptyDir" : "hostPath"] = json::object{{"medium", std::to_string(pick(2))}};
    }

    std::mt19937 random_;
};

json::object diff(const json::object& from, const json::object& to, const StrategicScope& scope);

const json::object* find_element(const json::array& list, std::string_view key, const json::value& wanted) {
    for (const auto& element : list)
        if (element.at(key) == wanted) return &element.get_object();
    return nullptr;
}

void diff_structs(json::object& patch, std::string_view name, const json::array& from, const json::array& to,
                  const StrategicRule& rule) {
    json::array changes;
    json::array order;
    for (const auto& element : to) {
        const json::value& key = element.at(rule.merge_key);
        order.push_back(json::object{{rule.merge_key, key}});
        const json::object* old = find_element(from, rule.merge_key, key);
        if (!old) {
            changes.push_back(element);
            continue;
        }
        json::object change = diff(*old, element.get_object(), element_scope(rule));
        if (change.empty()) continue;
        change[rule.merge_key] = key;
        if (name == "volumes") {
            json::array retained;
            for (const auto& member : element.get_object()) retained.push_back(json::string(member.key()));
            change["$retainKeys"] = retained;
        }
        changes.push_back(change);
    }
    for (const auto& element : from) {
        const json::value& key = element.at(rule.merge_key);
        if (!find_element(to, rule.merge_key, key))
            changes.push_back(json::object{{rule.merge_key, key}, {"$patch", "delete"}});
    }
    patch["$setElementOrder/" + std::string(name)] = order;
    if (!changes.empty()) patch[name] = changes;
}

void diff_scalars(json::object& patch, std::string_view name, const json::array& from, const json::array& to) {
    const auto missing = [](const json::array& all, const json::array& known) {
        json::array out;
        for (const auto& element : all)
            if (std::find(known.begin(), known.end(), element) == known.end()) out.push_back(element);
        return out;
    };
    patch["$setElementOrder/" + std::string(name)] = to;
    if (const auto added = missing(to, from); !added.empty()) patch[name] = added;
    if (const auto gone = missing(from, to); !gone.empty())
        patch["$deleteFromPrimitiveList/" + std::string(name)] = gone;
}

json::object diff(const json::object& from, const json::object& to, const StrategicScope& scope) {
    json::object patch;
    for (const auto& member : from)
        if (!to.contains(member.key())) patch[member.key()] = nullptr;
    for (const auto& member : to) {
        const json::value* old = from.if_contains(member.key());
        if (old && *old == member.value()) continue;
        const StrategicRule rule = find_rule(scope, member.key());
        if (old && old->is_object() && !is_raw(rule.value)) {
            patch[member.key()] = diff(old->get_object(), member.value().get_object(), scope_of(rule.value));
        } else if (old && rule.merges && !rule.merge_key.empty()) {
            diff_structs(patch, member.key(), old->get_array(), member.value().get_array(), rule);
        } else if (old && rule.merges) {
            diff_scalars(patch, member.key(), old->get_array(), member.value().get_array());
        } else {
            patch[member.key()] = member.value();
        }
    }
    return patch;
}

TEST(StrategicDiff, ThePatchBetweenTwoObjectsMakesOneOfTheOther) {
    Samples samples(11);
    for (int round = 0; round < 3000; ++round) {
        const json::object from = samples.sample();
        const json::object to = samples.sample();
        const json::object patch = diff(from, to, {.type = &Sample::info()});
        const auto after = apply_strategic_merge(Sample::info(), from, patch, {});
        ASSERT_TRUE(after.ok()) << format_error(after.error()) << format_dom(from) << " + " << format_dom(patch);
        ASSERT_EQ(sorted_json(*after), sorted_json(to)) << format_dom(from) << " + " << format_dom(patch);
    }
}

TEST(StrategicDiff, ElementsThatOnlyTheServerHasKeepTheirOrderAndTheOthersTakeTheirs) {
    Samples samples(12);
    for (int round = 0; round < 2000; ++round) {
        const json::object from = samples.sample();
        const json::object to = samples.sample();
        if (!from.at("metadata").as_object().contains("finalizers")) continue;
        if (!to.at("metadata").as_object().contains("finalizers")) continue;
        json::object live = from;
        auto& list = live["metadata"].as_object()["finalizers"].as_array();
        for (const char* name : {"s1", "s2", "s3"}) {
            std::size_t lowest = 0;  // after the last one put in, so that they stand in this order
            for (std::size_t i = 0; i < list.size(); ++i)
                if (list[i].as_string().starts_with("s")) lowest = i + 1;
            const auto room = static_cast<int>(list.size() - lowest) + 1;
            list.insert(list.begin() + lowest + static_cast<std::size_t>(samples.pick(room)), json::string(name));
        }
        const json::object patch = diff(from, to, {.type = &Sample::info()});
        const auto after = apply_strategic_merge(Sample::info(), live, patch, {});
        ASSERT_TRUE(after.ok());
        json::array own;
        json::array servers;
        for (const auto& element : after->at("metadata").at("finalizers").as_array())
            (element.as_string().starts_with("s") ? servers : own).push_back(element);
        ASSERT_EQ(format_dom(servers), R"(["s1","s2","s3"])");
        ASSERT_EQ(own, to.at("metadata").at("finalizers").as_array());
    }
}

}  // namespace strategic_diff_test
}  // namespace muster::api
