package muster;

import static muster.Suite.expect;
import static muster.Suite.expectEqual;
import static muster.Suite.newName;

import com.google.gson.reflect.TypeToken;
import io.kubernetes.client.Exec;
import io.kubernetes.client.PortForward;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.BatchV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobSpec;
import io.kubernetes.client.openapi.models.V1JobStatus;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.Watch;
import java.io.FileReader;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** io.kubernetes:client-java, the official client. */
final class Official {
    /** A port that a pod listens on: pods share the machine's network, so it is one that is seldom used. */
    static final int ECHO_PORT = 38000 + (int) (ProcessHandle.current().pid() % 2000);
    /** Answers each connection's first line. */
    static final String ECHO_SERVER = String.join("\n",
            "import socket",
            "s = socket.socket()",
            "s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)",
            "s.bind(('', " + ECHO_PORT + "))",
            "s.listen()",
            "while True:",
            "    c, _ = s.accept()",
            "    c.sendall(b'echo ' + c.recv(100))",
            "    c.close()");

    interface Connect {
        Socket open() throws Exception;
    }

    private final String kubeconfig;

    Official(String kubeconfig) {
        this.kubeconfig = kubeconfig;
    }

    List<Suite.Story> stories() {
        return List.of(
                new Suite.Story("official: the administrator's key is read and namespaces are listed", this::lists),
                new Suite.Story("official: a job runs to its end", this::runsJob),
                new Suite.Story("official: a watch tells what happens", this::watches),
                new Suite.Story("official: a command gets its input and gives its output", this::executes),
                new Suite.Story("official: a port is forwarded", this::forwards),
                new Suite.Story("official: kinds that are not served are empty lists", this::listsUnserved));
    }

    private ApiClient client() throws Exception {
        try (FileReader reader = new FileReader(kubeconfig)) {
            ApiClient client = ClientBuilder.kubeconfig(KubeConfig.loadKubeConfig(reader)).build();
            client.setReadTimeout(60_000);
            return client;
        }
    }

    private void lists() throws Exception {
        expect(new CoreV1Api(client()).listNamespace().execute().getItems().stream()
                .anyMatch(n -> n.getMetadata().getName().equals("default")), "there is no namespace default");
    }

    private static V1PodSpec spec(String... command) {
        // The client would send an empty overhead, which Kubernetes refuses, too.
        return new V1PodSpec().restartPolicy("Never").overhead(null)
                .addContainersItem(new V1Container().name("main").image("busybox").command(List.of(command)));
    }

    private void runsJob() throws Exception {
        BatchV1Api batch = new BatchV1Api(client());
        String name = newName("official");
        batch.createNamespacedJob("default", new V1Job().metadata(new V1ObjectMeta().name(name))
                .spec(new V1JobSpec().template(new V1PodTemplateSpec().spec(spec("true"))))).execute();
        await(() -> {
            V1JobStatus status = batch.readNamespacedJob(name, "default").execute().getStatus();
            return status != null && Integer.valueOf(1).equals(status.getSucceeded());
        });
    }

    private void watches() throws Exception {
        ApiClient client = client();
        CoreV1Api core = new CoreV1Api(client);
        String name = newName("watched");
        String version = core.listNamespacedConfigMap("default").execute().getMetadata().getResourceVersion();
        core.createNamespacedConfigMap("default", new V1ConfigMap().metadata(new V1ObjectMeta().name(name))).execute();
        try (Watch<V1ConfigMap> watch = Watch.createWatch(client,
                core.listNamespacedConfigMap("default").watch(true).resourceVersion(version).buildCall(null),
                new TypeToken<Watch.Response<V1ConfigMap>>() {}.getType())) {
            for (Watch.Response<V1ConfigMap> event : watch) {
                if (!event.object.getMetadata().getName().equals(name)) continue;
                expectEqual(event.type, "ADDED");
                return;
            }
        }
        expect(false, "the watch ended without the event");
    }

    private String startPod(ApiClient client, String... command) throws Exception {
        CoreV1Api core = new CoreV1Api(client);
        String name = newName("pod");
        core.createNamespacedPod("default", new V1Pod().metadata(new V1ObjectMeta().name(name)).spec(spec(command)))
                .execute();
        await(() -> "Running".equals(core.readNamespacedPod(name, "default").execute().getStatus().getPhase()));
        return name;
    }

    private void executes() throws Exception {
        ApiClient client = client();
        String name = startPod(client, "sleep", "300");
        Process process = new Exec(client).exec("default", name,
                new String[] {"sh", "-c", "read line; echo got $line; exit 3"}, true, false);
        // The client gives no stream once the command has ended.
        InputStream from = process.getInputStream();
        process.getOutputStream().write("hello\n".getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
        String output = new String(from.readAllBytes(), StandardCharsets.UTF_8);
        expectEqual(process.waitFor(), 3);
        expectEqual(output, "got hello\n");
        new CoreV1Api(client).deleteNamespacedPod(name, "default").gracePeriodSeconds(0).execute();
    }

    private void forwards() throws Exception {
        ApiClient client = client();
        String name = startPod(client, "python3", "-c", ECHO_SERVER);
        await(() -> {
            PortForward.PortForwardResult result =
                    new PortForward(client).forward("default", name, List.of(ECHO_PORT));
            try (OutputStream to = result.getOutboundStream(ECHO_PORT);
                    InputStream from = result.getInputStream(ECHO_PORT)) {
                to.write("hello".getBytes(StandardCharsets.UTF_8));
                to.flush();
                byte[] answer = from.readNBytes(10);
                return new String(answer, StandardCharsets.UTF_8).equals("echo hello");
            }
        });
        new CoreV1Api(client).deleteNamespacedPod(name, "default").gracePeriodSeconds(0).execute();
    }

    private void listsUnserved() throws Exception {
        ApiClient client = client();
        expectEqual(new AppsV1Api(client).listDeploymentForAllNamespaces().execute().getItems().size(), 0);
        expectEqual(new CoreV1Api(client).listEndpointsForAllNamespaces().execute().getItems().size(), 0);
    }

    interface Condition {
        boolean holds() throws Exception;
    }

    /** Asks until the condition holds; what it throws meanwhile does not count, but the last of it is told. */
    static void await(Condition condition) throws Exception {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        Exception last = null;
        while (System.nanoTime() < end) {
            try {
                if (condition.holds()) return;
            } catch (Exception thrown) {
                last = thrown;
            }
            Thread.sleep(50);
        }
        throw last != null ? last : new Suite.Failed("not within a minute");
    }

    /** The program may not listen yet: then the connection ends without an answer. */
    static void awaitEcho(Connect connect) throws Exception {
        await(() -> {
            try (Socket socket = connect.open()) {
                socket.setSoTimeout(5000);
                socket.getOutputStream().write("hello".getBytes(StandardCharsets.UTF_8));
                byte[] answer = socket.getInputStream().readNBytes(10);
                return new String(answer, StandardCharsets.UTF_8).equals("echo hello");
            }
        });
    }
}
