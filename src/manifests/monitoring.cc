// What Prometheus and Grafana get: a ServiceMonitor, the alerts as a PrometheusRule, the charts as a dashboard.
#include <boost/json/serialize.hpp>

#include "api/codec/yaml_encode.h"
#include "manifests/charts.h"
#include "manifests/objects.h"

namespace muster::manifests {
namespace {

constexpr const char* kOperator = "monitoring.coreos.com/v1";

Object service_monitor(const Plan& plan) {
    Object made = new_object(kOperator, "ServiceMonitor", kAppName, plan.home());
    // The certificate of the metrics port is made by the process itself; the token is what the API server checks.
    Object endpoint{{"port", "metrics"},
                    {"scheme", "https"},
                    {"path", "/metrics"},
                    {"bearerTokenFile", "/var/run/secrets/kubernetes.io/serviceaccount/token"},
                    {"tlsConfig", Object{{"insecureSkipVerify", true}}}};
    made["spec"] = Object{{"selector", Object{{"matchLabels", Object{{"app.kubernetes.io/name", "muster"}}}}},
                          {"endpoints", one(endpoint)}};
    return made;
}

Object rule_object(const Plan& plan) {
    Array rules;
    for (const Alert& alert : alerts())
        rules.push_back({{"alert", alert.name},
                         {"expr", alert.expression},
                         {"for", alert.for_},
                         {"labels", Object{{"severity", alert.severity}}},
                         {"annotations", {{"summary", alert.summary}, {"description", alert.advice}}}});
    Object made = new_object(kOperator, "PrometheusRule", kAppName, plan.home());
    made["spec"] = Object{{"groups", one({{"name", "muster"}, {"rules", rules}})}};
    return made;
}

constexpr int kWidth = 8;
constexpr int kHeight = 7;
constexpr int kPerLine = 3;

Object source() { return {{"type", "prometheus"}, {"uid", "${datasource}"}}; }

Object panel(const Chart& chart, int id, int x, int y) {
    return {
        {"id", id},
        {"type", "timeseries"},
        {"title", chart.title},
        {"datasource", source()},
        {"gridPos", {{"h", kHeight}, {"w", kWidth}, {"x", x}, {"y", y}}},
        {"fieldConfig", {{"defaults", Object{{"unit", chart.unit}}}, {"overrides", Array{}}}},
        {"targets",
         one({{"refId", "A"}, {"expr", chart.expression}, {"legendFormat", chart.legend}, {"datasource", source()}})}};
}

Array panels() {
    Array all;
    int id = 0;
    int y = 0;
    for (const ChartRow& row : chart_rows()) {
        all.push_back({{"id", ++id},
                       {"type", "row"},
                       {"title", row.title},
                       {"collapsed", false},
                       {"panels", Array{}},
                       {"gridPos", {{"h", 1}, {"w", kWidth * kPerLine}, {"x", 0}, {"y", y++}}}});
        int place = 0;
        for (const Chart& chart : row.charts) {
            all.push_back(panel(chart, ++id, place % kPerLine * kWidth, y + place / kPerLine * kHeight));
            ++place;
        }
        y += (place + kPerLine - 1) / kPerLine * kHeight;
    }
    return all;
}

}  // namespace

std::string dashboard_json() {
    const Object variable{{"name", "datasource"}, {"type", "datasource"}, {"query", "prometheus"}};
    const Object dashboard{{"title", "Muster"},
                           {"uid", "muster-controllers"},
                           {"tags", texts({"muster"})},
                           {"schemaVersion", 39},
                           {"editable", true},
                           {"refresh", "30s"},
                           {"time", {{"from", "now-1h"}, {"to", "now"}}},
                           {"templating", Object{{"list", one(variable)}}},
                           {"panels", panels()}};
    return api::indent_json(boost::json::serialize(dashboard));
}

Objects monitoring_objects(const Plan& plan) {
    Object dashboard = new_object("v1", "ConfigMap", "muster-dashboard", plan.home());
    dashboard["metadata"].as_object()["labels"].as_object()["grafana_dashboard"] = "1";
    dashboard["data"] = Object{{"muster.json", dashboard_json()}};
    return {service_monitor(plan), rule_object(plan), dashboard};
}

}  // namespace muster::manifests
