#include "server/table/table.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/codec/decode.h"
#include "api/kinds/all.h"
#include "api/kinds/core/pod.h"
#include "server/kind_object/kind_object.h"
#include "server/table/print.h"
#include "server/table/span_text.h"

namespace muster::server {
namespace table_test {

namespace json = boost::json;

const Instant kNow = api::Time::parse("2026-03-01T12:00:00Z")->instant();

// The object of a YAML document, of the kind it names.
std::shared_ptr<KindObject> read_object(const std::string& yaml) {
    const auto word = [&](const std::string& key) {
        const std::size_t start = yaml.find(key) + key.size();
        return yaml.substr(start, yaml.find_first_of(",\n", start) - start);
    };
    const std::string api_version = word("apiVersion: ");
    const std::size_t slash = api_version.find('/');
    const api::KindInfo* kind = api::find_kind(slash == std::string::npos ? "" : api_version.substr(0, slash),
                                               api_version.substr(slash + 1), word("kind: "));
    EXPECT_TRUE(kind) << yaml;
    auto object = make_object(*kind);
    const auto decoded = api::decode_yaml(kind->type(), object->data(), yaml);
    EXPECT_TRUE(decoded.ok()) << format_error(decoded.error());
    EXPECT_TRUE(api::check_strict(*decoded).ok()) << format_error(api::check_strict(*decoded).error());
    return object;
}

json::object table_of(const std::string& yaml, TableOptions options = {.now = kNow}) {
    const auto object = read_object(yaml);
    std::string out;
    append_table(object->kind(), object->data(), options, out);
    return json::parse(out).as_object();
}

// The cells as kubectl would show them, " | " between.
std::string cells_of(const std::string& yaml) {
    const json::object table = table_of(yaml);
    std::string line;
    const json::array& cells = table.at("rows").at(0).at("cells").as_array();
    EXPECT_EQ(cells.size(), table.at("columnDefinitions").as_array().size()) << yaml;
    for (const json::value& cell : cells) {
        if (!line.empty()) line += " | ";
        line += cell.is_string() ? std::string(cell.as_string()) : json::serialize(cell);
    }
    return line;
}

// The headings, wide ones in parentheses.
std::string columns_of(const std::string& kind_and_version) {
    const json::object table = table_of(kind_and_version + "\nmetadata: {name: x}");
    std::string line;
    for (const json::value& column : table.at("columnDefinitions").as_array()) {
        if (!line.empty()) line += ", ";
        const std::string name(column.at("name").as_string());
        line += column.at("priority").as_int64() ? "(" + name + ")" : name;
        EXPECT_FALSE(column.at("description").as_string().empty()) << name;
    }
    return line;
}

TEST(SpanText, GetsCoarserAsSpansGetLonger) {
    const std::pair<Duration, const char*> cases[] = {
        {-2s, "<invalid>"},   {-1s, "0s"},           {0s, "0s"},
        {119s, "119s"},       {120s, "2m"},          {200s, "3m20s"},
        {599s, "9m59s"},      {600s, "10m"},         {179min + 59s, "179m"},
        {180min, "3h"},       {7h + 59min, "7h59m"}, {8h, "8h"},
        {47h, "47h"},         {48h, "2d"},           {99h, "4d3h"},
        {192h, "8d"},         {729 * 24h, "729d"},   {730 * 24h, "2y"},
        {775 * 24h, "2y45d"}, {3000 * 24h, "8y"},
    };
    for (const auto& [span, text] : cases) EXPECT_EQ(format_span(span), text) << span.count();
}

struct RowCase {
    const char* sentence;
    std::string object;
    const char* cells;
};

std::string pod(const std::string& spec, const std::string& status, const std::string& metadata = "") {
    return "apiVersion: v1\nkind: Pod\nmetadata: {name: p, creationTimestamp: 2026-03-01T11:55:00Z" + metadata +
           "}\nspec: {" + spec + "}\nstatus: {" + status + "}";
}
const std::string kOne = "containers: [{name: a}]";
const std::string kInit = "initContainers: [{name: i}, {name: j}], containers: [{name: a}]";
const std::string kSidecar = "initContainers: [{name: s, restartPolicy: Always}], containers: [{name: a}]";

std::string status_of(const std::string& name, const std::string& rest) {
    return "{name: " + name + ", image: i, imageID: d, ready: false, restartCount: 0, " + rest + "}";
}
std::string ready(const std::string& name) {
    return "{name: " + name + ", image: i, imageID: d, ready: true, restartCount: 0, state: {running: {}}}";
}

// Only name, ready, status, restarts and age: the wide columns have a test of their own.
const RowCase kPodCases[] = {
    {"a new pod waits", pod(kOne, "phase: Pending"), "p | 0/1 | Pending | 0 | 5m"},
    {"a gated pod says so",
     pod(kOne, "phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: SchedulingGated}]"),
     "p | 0/1 | SchedulingGated | 0 | 5m"},
    {"an image that cannot be pulled",
     pod(kOne,
         "phase: Pending, containerStatuses: [" + status_of("a", "state: {waiting: {reason: ErrImagePull}}") + "]"),
     "p | 0/1 | ErrImagePull | 0 | 5m"},
    {"a running pod", pod(kOne, "phase: Running, containerStatuses: [" + ready("a") + "]"),
     "p | 1/1 | Running | 0 | 5m"},
    {"restarts with the time of the last",
     pod(kOne,
         "phase: Running, containerStatuses: [{name: a, image: i, imageID: d, ready: true, restartCount: 3, state: "
         "{running: {}}, lastState: {terminated: {exitCode: 1, finishedAt: 2026-03-01T11:57:00Z}}}]"),
     "p | 1/1 | Running | 3 (3m ago) | 5m"},
    {"a finished pod",
     pod(kOne, "phase: Succeeded, containerStatuses: [" +
                   status_of("a", "state: {terminated: {exitCode: 0, reason: Completed}}") + "]"),
     "p | 0/1 | Completed | 0 | 5m"},
    {"an exit code without a reason",
     pod(kOne, "phase: Failed, containerStatuses: [" + status_of("a", "state: {terminated: {exitCode: 42}}") + "]"),
     "p | 0/1 | ExitCode:42 | 0 | 5m"},
    {"a signal without a reason",
     pod(kOne, "phase: Failed, containerStatuses: [" +
                   status_of("a", "state: {terminated: {exitCode: 137, signal: 9}}") + "]"),
     "p | 0/1 | Signal:9 | 0 | 5m"},
    {"the pod's own reason", pod(kOne, "phase: Failed, reason: Evicted"), "p | 0/1 | Evicted | 0 | 5m"},
    {"one container is done and the ready pod runs on",
     pod("containers: [{name: a}, {name: b}]",
         "phase: Running, conditions: [{type: Ready, status: 'True'}], containerStatuses: [" +
             status_of("a", "state: {terminated: {exitCode: 0, reason: Completed}}") + ", " + ready("b") + "]"),
     "p | 1/2 | Running | 0 | 5m"},
    {"one container is done and the pod is not ready",
     pod("containers: [{name: a}, {name: b}]",
         "phase: Running, containerStatuses: [" +
             status_of("a", "state: {terminated: {exitCode: 0, reason: Completed}}") + ", " + ready("b") + "]"),
     "p | 1/2 | NotReady | 0 | 5m"},
    {"a failure is shown before another's completion",
     pod("containers: [{name: a}, {name: b}]",
         "phase: Failed, containerStatuses: [" +
             status_of("a", "state: {terminated: {exitCode: 0, reason: Completed}}") + ", " +
             status_of("b", "state: {terminated: {exitCode: 1, reason: Error}}") + "]"),
     "p | 0/2 | Error | 0 | 5m"},
    {"the first init container has not begun",
     pod(kInit, "phase: Pending, initContainerStatuses: [" +
                    status_of("i", "state: {waiting: {reason: PodInitializing}}") + ", " +
                    status_of("j", "state: {waiting: {reason: PodInitializing}}") + "]"),
     "p | 0/1 | Init:0/2 | 0 | 5m"},
    {"the second init container runs",
     pod(kInit, "phase: Pending, initContainerStatuses: [" + status_of("i", "state: {terminated: {exitCode: 0}}") +
                    ", " + status_of("j", "state: {running: {}}") + "]"),
     "p | 0/1 | Init:1/2 | 0 | 5m"},
    {"an init container fails",
     pod(kInit, "phase: Pending, initContainerStatuses: [" +
                    status_of("i", "state: {terminated: {exitCode: 1, reason: Error}}") + "]"),
     "p | 0/1 | Init:Error | 0 | 5m"},
    {"an init container dies of a signal",
     pod(kInit, "phase: Pending, initContainerStatuses: [" +
                    status_of("i", "state: {terminated: {exitCode: 137, signal: 9}}") + "]"),
     "p | 0/1 | Init:Signal:9 | 0 | 5m"},
    {"an init container crashes over and over",
     pod(kInit,
         "phase: Pending, initContainerStatuses: [{name: i, image: i, imageID: d, ready: false, restartCount: 2, "
         "state: "
         "{waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 1, finishedAt: "
         "2026-03-01T11:59:00Z}}}]"),
     "p | 0/1 | Init:CrashLoopBackOff | 2 (60s ago) | 5m"},
    {"a sidecar counts as a container",
     pod(kSidecar,
         "phase: Running, initContainerStatuses: [{name: s, image: i, imageID: d, ready: true, started: true, "
         "restartCount: 1, state: {running: {}}, lastState: {terminated: {exitCode: 1, finishedAt: "
         "2026-03-01T11:58:00Z}}}], containerStatuses: [" +
             ready("a") + "]"),
     "p | 2/2 | Running | 1 (2m ago) | 5m"},
    {"a deleted pod is going",
     pod(kOne, "phase: Running, containerStatuses: [" + ready("a") + "]", ", deletionTimestamp: 2026-03-01T12:00:10Z"),
     "p | 1/1 | Terminating | 0 | 5m"},
    {"a deleted pod that has ended keeps its end",
     pod(kOne,
         "phase: Succeeded, containerStatuses: [" +
             status_of("a", "state: {terminated: {exitCode: 0, reason: Completed}}") + "]",
         ", deletionTimestamp: 2026-03-01T12:00:10Z"),
     "p | 0/1 | Completed | 0 | 5m"},
    {"a deleted pod on a lost node",
     pod(kOne, "phase: Running, reason: NodeLost", ", deletionTimestamp: 2026-03-01T12:00:10Z"),
     "p | 0/1 | Unknown | 0 | 5m"},
};

TEST(PodTable, ShowsWhatThePodIsDoing) {
    for (const RowCase& test : kPodCases)
        EXPECT_EQ(cells_of(test.object), std::string(test.cells) + " | <none> | <none> | <none> | <none>")
            << test.sentence;
}

TEST(PodTable, WideShowsWhereItRuns) {
    EXPECT_EQ(columns_of("apiVersion: v1\nkind: Pod"),
              "Name, Ready, Status, Restarts, Age, (IP), (Node), (Nominated Node), (Readiness Gates)");
    EXPECT_EQ(
        cells_of(pod(kOne + ", nodeName: n1, readinessGates: [{conditionType: g1}, {conditionType: g2}]",
                     "phase: Pending, podIPs: [{ip: 10.0.0.1}, {ip: 'fd00::1'}], nominatedNodeName: n2, conditions: "
                     "[{type: g1, status: 'True'}]")),
        "p | 0/1 | Pending | 0 | 5m | 10.0.0.1 | n1 | n2 | 1/2");
}

TEST(PodTable, RowsOfEndedPodsSaySo) {
    const json::object table = table_of(pod(kOne, "phase: Failed"));
    EXPECT_EQ(json::serialize(table.at("rows").at(0).at("conditions")),
              R"([{"type":"Completed","status":"True","reason":"Failed","message":"The pod failed."}])");
    EXPECT_FALSE(table_of(pod(kOne, "phase: Running")).at("rows").at(0).as_object().contains("conditions"));
}

std::string job(const std::string& spec, const std::string& status, const std::string& metadata = "") {
    return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, creationTimestamp: 2026-03-01T11:00:00Z" + metadata +
           "}\nspec: {template: {spec: {containers: [{name: a, image: busybox}, {name: b, image: perl}]}}, " + spec +
           "}\nstatus: {" + status + "}";
}

std::string condition(const std::string& type) { return "conditions: [{type: " + type + ", status: 'True'}]"; }

TEST(JobTable, ShowsHowFarItHasCome) {
    const RowCase cases[] = {
        {"not started", job("completions: 5", ""), "Running | 0/5 | "},
        {"running", job("completions: 5", "succeeded: 2, startTime: 2026-03-01T11:50:00Z"), "Running | 2/5 | 10m"},
        {"complete",
         job("completions: 5", "succeeded: 5, startTime: 2026-03-01T11:00:00Z, completionTime: 2026-03-01T11:00:07Z, " +
                                   condition("Complete")),
         "Complete | 5/5 | 7s"},
        {"failed", job("completions: 5", condition("Failed")), "Failed | 0/5 | "},
        {"suspended", job("completions: 5", condition("Suspended")), "Suspended | 0/5 | "},
        {"being deleted", job("completions: 5", condition("Suspended"), ", deletionTimestamp: 2026-03-01T12:00:00Z"),
         "Terminating | 0/5 | "},
        {"a deleted one that is done stays done",
         job("completions: 5", condition("Complete"), ", deletionTimestamp: 2026-03-01T12:00:00Z"),
         "Complete | 0/5 | "},
        {"about to fail", job("completions: 5", condition("FailureTarget")), "FailureTarget | 0/5 | "},
        {"about to succeed", job("completions: 5", condition("SuccessCriteriaMet")), "SuccessCriteriaMet | 0/5 | "},
        {"a condition that does not hold says nothing",
         job("completions: 5", "conditions: [{type: Suspended, status: 'False'}]"), "Running | 0/5 | "},
        {"without completions one will do", job("parallelism: 1", ""), "Running | 0/1 | "},
        {"a work queue", job("parallelism: 3", "succeeded: 1"), "Running | 1/1 of 3 | "},
        {"longer than any span",
         job("completions: 5", "startTime: 0001-01-02T00:00:00Z, completionTime: 9999-12-31T23:59:59Z"),
         "Running | 0/5 | 292y"},
        {"ended long before it started",
         job("completions: 5", "startTime: 9999-12-31T23:59:59Z, completionTime: 0001-01-02T00:00:00Z"),
         "Running | 0/5 | <invalid>"},
    };
    for (const RowCase& test : cases)
        EXPECT_EQ(cells_of(test.object), "j | " + std::string(test.cells) + " | 60m | a,b | busybox,perl | <none>")
            << test.sentence;
    EXPECT_EQ(columns_of("apiVersion: batch/v1\nkind: Job"),
              "Name, Status, Completions, Duration, Age, (Containers), (Images), (Selector)");
}

TEST(JobTable, ShowsTheSelector) {
    const std::string cells = cells_of(
        job("selector: {matchLabels: {b: c}, matchExpressions: [{key: a, operator: In, values: [v2, v1]}]}", ""));
    EXPECT_EQ(cells.substr(cells.rfind("| ") + 2), "a in (v1,v2),b=c");
}

TEST(OtherTables, ShowWhatKubectlUsersKnow) {
    const std::string made = "metadata: {name: x, creationTimestamp: 2026-02-27T12:00:00Z";
    const RowCase cases[] = {
        {"Name, Schedule, Timezone, Suspend, Active, Last Schedule, Age, (Containers), (Images), (Selector)",
         "apiVersion: batch/v1\nkind: CronJob\n" + made +
             "}\nspec: {schedule: '*/5 * * * *', suspend: false, timeZone: Etc/UTC, jobTemplate: {spec: {template: "
             "{spec: "
             "{containers: [{name: a, image: i}]}}}}}\nstatus: {active: [{name: run}], lastScheduleTime: "
             "2026-03-01T11:56:00Z}",
         "x | */5 * * * * | Etc/UTC | False | 1 | 4m | 2d | a | i | <none>"},
        {"Name, Status, Roles, Age, Version, (Internal-IP), (External-IP), (OS-Image), (Kernel-Version), "
         "(Container-Runtime)",
         "apiVersion: v1\nkind: Node\n" + made +
             ", labels: {node-role.kubernetes.io/worker: '', node-role.kubernetes.io/: '', kubernetes.io/role: "
             "batch}}\nspec: {unschedulable: true}\nstatus: {conditions: [{type: Ready, status: 'True'}], addresses: "
             "[{type: Hostname, address: h}, {type: InternalIP, address: 10.0.0.1}], nodeInfo: {machineID: '', "
             "systemUUID: '', bootID: '', kernelVersion: '6.1', osImage: '', containerRuntimeVersion: 'process://0.1', "
             "kubeletVersion: v1.35.0, kubeProxyVersion: '', operatingSystem: '', architecture: ''}}",
         "x | Ready,SchedulingDisabled | batch,worker | 2d | v1.35.0 | 10.0.0.1 | <none> | <unknown> | 6.1 | "
         "process://0.1"},
        {"Name, Status, Age", "apiVersion: v1\nkind: Namespace\n" + made + "}\nstatus: {phase: Active}",
         "x | Active | 2d"},
        {"Name, Data, Age", "apiVersion: v1\nkind: ConfigMap\n" + made + "}\ndata: {a: b}\nbinaryData: {c: ZA==}",
         "x | 2 | 2d"},
        {"Name, Type, Data, Age", "apiVersion: v1\nkind: Secret\n" + made + "}\ntype: Opaque\ndata: {a: ZA==}",
         "x | Opaque | 1 | 2d"},
        {"Name, Age", "apiVersion: v1\nkind: ServiceAccount\n" + made + "}", "x | 2d"},
        {"Name, Type, Cluster-IP, External-IP, Port(s), Age, (Selector)",
         "apiVersion: v1\nkind: Service\n" + made +
             "}\nspec: {type: NodePort, clusterIPs: [10.0.0.5], clusterIP: 10.0.0.5, selector: {app: a}, ports: "
             "[{port: "
             "80, nodePort: 30080, protocol: TCP}, {port: 53, protocol: UDP}]}",
         "x | NodePort | 10.0.0.5 | <none> | 80:30080/TCP,53/UDP | 2d | app=a"},
        {"Name, Type, Cluster-IP, External-IP, Port(s), Age, (Selector)",
         "apiVersion: v1\nkind: Service\n" + made + "}\nspec: {type: LoadBalancer, clusterIP: None}",
         "x | LoadBalancer | None | <pending> | <none> | 2d | <none>"},
        {"Name, AddressType, Ports, Endpoints, Age",
         "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\n" + made +
             "}\naddressType: IPv4\nports: [{port: 80}]\nendpoints: [{addresses: [a, b]}, {addresses: [c, d, e]}]",
         "x | IPv4 | 80 | a,b,c + 2 more... | 2d"},
        {"Name, Holder, Age",
         "apiVersion: coordination.k8s.io/v1\nkind: Lease\n" + made + "}\nspec: {holderIdentity: me}", "x | me | 2d"},
        {"Name, Value, Global-Default, Age, (PreemptionPolicy)",
         "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\n" + made +
             "}\nvalue: 1000\nglobalDefault: true\npreemptionPolicy: Never",
         "x | 1000 | true | 2d | Never"},
        {"Name, Handler, Age", "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\n" + made + "}\nhandler: runc",
         "x | runc | 2d"},
        {"Name, Min Available, Max Unavailable, Allowed Disruptions, Age",
         "apiVersion: policy/v1\nkind: PodDisruptionBudget\n" + made +
             "}\nspec: {minAvailable: 50%}\nstatus: {disruptionsAllowed: 2, currentHealthy: 0, desiredHealthy: 0, "
             "expectedPods: 0}",
         "x | 50% | N/A | 2 | 2d"},
        {"Name, Request, Limit, Age",
         "apiVersion: v1\nkind: ResourceQuota\n" + made +
             "}\nstatus: {hard: {requests.cpu: '4', limits.cpu: '8', pods: '10'}, used: {pods: '3', limits.cpu: 500m}}",
         "x | pods: 3/10, requests.cpu: 0/4 | limits.cpu: 500m/8 | 2d"},
        {"Name, Capacity, Access Modes, Reclaim Policy, Status, Claim, StorageClass, VolumeAttributesClass, Reason, "
         "Age, "
         "(VolumeMode)",
         "apiVersion: v1\nkind: PersistentVolume\n" + made +
             "}\nspec: {capacity: {storage: 5Gi}, accessModes: [ReadWriteMany, ReadWriteOnce], "
             "persistentVolumeReclaimPolicy: Retain, storageClassName: fast, claimRef: {namespace: ns, name: c}, "
             "volumeMode: Filesystem}\nstatus: {phase: Bound}",
         "x | 5Gi | RWO,RWX | Retain | Bound | ns/c | fast | <unset> |  | 2d | Filesystem"},
        {"Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age, (VolumeMode)",
         "apiVersion: v1\nkind: PersistentVolumeClaim\n" + made +
             "}\nspec: {volumeName: v, storageClassName: fast}\nstatus: {phase: Bound, accessModes: "
             "[ReadWriteOncePod], "
             "capacity: {storage: 5Gi}}",
         "x | Bound | v | 5Gi | RWOP | fast | <unset> | 2d | <unset>"},
        {"Name, Role, Age, (Users), (Groups), (ServiceAccounts)",
         "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\n" + made +
             "}\nroleRef: {apiGroup: g, kind: Role, name: r}\nsubjects: [{kind: User, name: a}, {kind: User, name: b}, "
             "{kind: ServiceAccount, namespace: ns, name: s}]",
         "x | Role/r | 2d | a, b |  | ns/s"},
        {"Name, Created At", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n" + made + "}\nrules: []",
         "x | 2026-02-27T12:00:00Z"},
        {"Name, Created At", "apiVersion: v1\nkind: LimitRange\n" + made + "}\nspec: {limits: []}",
         "x | 2026-02-27T12:00:00Z"},
        {"Name, Containers, Images, Pod Labels",
         "apiVersion: v1\nkind: PodTemplate\n" + made +
             "}\ntemplate: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}",
         "x | c | i | a=b"},
    };
    for (const RowCase& test : cases) {
        EXPECT_EQ(cells_of(test.object), test.cells) << test.object;
        EXPECT_EQ(columns_of(test.object.substr(0, test.object.find("\nmetadata"))), test.sentence);
    }
}

TEST(EventTable, IsTheSameForBothForms) {
    const char* expected =
        "2m | Warning | BackOff | pod/p | spec.containers{a} | kubelet, n1 | it failed | 60m | 7 | e";
    EXPECT_EQ(
        cells_of("apiVersion: v1\nkind: Event\nmetadata: {name: e}\ninvolvedObject: {kind: Pod, name: p, fieldPath: "
                 "'spec.containers{a}'}\nreason: BackOff\ntype: Warning\nmessage: ' it failed '\nsource: {component: "
                 "kubelet, host: n1}\nfirstTimestamp: 2026-03-01T11:00:00Z\nlastTimestamp: "
                 "2026-03-01T11:58:00Z\ncount: 7\nreportingComponent: ''\nreportingInstance: ''"),
        expected);
    EXPECT_EQ(cells_of("apiVersion: events.k8s.io/v1\nkind: Event\nmetadata: {name: e}\neventTime: "
                       "'2026-03-01T11:00:00.000000Z'\nregarding: {kind: Pod, name: p, fieldPath: "
                       "'spec.containers{a}'}\nreason: BackOff\ntype: Warning\nnote: it failed\nreportingController: "
                       "kubelet\nreportingInstance: n1\nseries: {count: 7, lastObservedTime: "
                       "'2026-03-01T11:58:00.000000Z'}"),
              expected);
}

TEST(Table, RowsCarryWhatWasAskedFor) {
    const std::string object = pod(kOne, "phase: Running", ", labels: {a: b}, resourceVersion: '7'");
    const json::object metadata = table_of(object);
    EXPECT_EQ(metadata.at("apiVersion").as_string(), "meta.k8s.io/v1");
    EXPECT_EQ(metadata.at("metadata").at("resourceVersion").as_string(), "7");
    const json::value& row = metadata.at("rows").at(0).at("object");
    EXPECT_EQ(row.at("kind").as_string(), "PartialObjectMetadata");
    EXPECT_EQ(row.at("metadata").at("labels").at("a").as_string(), "b");
    EXPECT_FALSE(row.as_object().contains("spec"));

    EXPECT_TRUE(
        table_of(object, {.now = kNow, .include = IncludeObject::kNone}).at("rows").at(0).at("object").is_null());
    const json::object whole = table_of(object, {.now = kNow, .include = IncludeObject::kObject});
    EXPECT_EQ(whole.at("rows").at(0).at("object").at("kind").as_string(), "Pod");
    EXPECT_TRUE(whole.at("rows").at(0).at("object").as_object().contains("spec"));

    const json::object later = table_of(object, {.now = kNow, .beta = true, .headers = false});
    EXPECT_TRUE(later.at("columnDefinitions").is_null());
    EXPECT_EQ(later.at("apiVersion").as_string(), "meta.k8s.io/v1beta1");
}

TEST(Table, OfAListHasTheListsMetadata) {
    api::meta::ListMeta list;
    list.resource_version = "9";
    list.continue_ = "next";
    list.remaining_item_count = 3;
    std::string out;
    TableWriter writer(*api::find_kind("", "v1", "Pod"), list, {.now = kNow}, out);
    writer.finish();
    const json::object empty = json::parse(out).as_object();
    EXPECT_EQ(json::serialize(empty.at("metadata")),
              R"({"resourceVersion":"9","continue":"next","remainingItemCount":3})");
    EXPECT_TRUE(empty.at("rows").as_array().empty());
}

TEST(Table, IncludeObjectIsChecked) {
    EXPECT_EQ(*parse_include_object(""), IncludeObject::kMetadata);
    EXPECT_EQ(*parse_include_object("Object"), IncludeObject::kObject);
    EXPECT_EQ(parse_include_object("All").error().message,
              "Unable to convert to Table as requested: includeObject: Invalid value: \"All\": must be 'Metadata', "
              "'Object', 'None', or empty");
}

TEST(Table, EveryKindThatIsStoredHasColumns) {
    for (const api::KindInfo* kind : api::all_kinds()) {
        if (!kind->options.plural) continue;
        const auto object = make_object(*kind);
        std::string out;
        append_table(*kind, object->data(), {.now = kNow}, out);
        const json::value table = json::parse(out);
        EXPECT_EQ(table.at("rows").at(0).at("cells").as_array().size(), printer_of(*kind).columns.size()) << kind->kind;
    }
}

}  // namespace table_test
}  // namespace muster::server
