package muster;

import static muster.Suite.expect;
import static muster.Suite.expectEqual;
import static muster.Suite.newName;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.LocalPortForward;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.ExecWatch;
import java.io.ByteArrayOutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** io.fabric8:kubernetes-client, which Spark uses, too. Its watches go over WebSockets. */
final class Fabric8 {
    private final Config config;

    Fabric8(String kubeconfig) throws Exception {
        config = Config.fromKubeconfig(Files.readString(Path.of(kubeconfig)));
    }

    List<Suite.Story> stories() {
        return List.of(
                new Suite.Story("fabric8: the administrator's key is read and namespaces are listed", this::lists),
                new Suite.Story("fabric8: a job runs to its end, and its log is read", this::runsJob),
                new Suite.Story("fabric8: a watch tells what happens", this::watches),
                new Suite.Story("fabric8: a command gets its input and gives its output", this::executes),
                new Suite.Story("fabric8: a port is forwarded", this::forwards),
                new Suite.Story("fabric8: kinds that are not served are empty lists", this::listsUnserved));
    }

    private KubernetesClient client() {
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    private void lists() {
        try (KubernetesClient client = client()) {
            expect(client.namespaces().list().getItems().stream()
                    .anyMatch(n -> n.getMetadata().getName().equals("default")), "there is no namespace default");
        }
    }

    private void runsJob() {
        try (KubernetesClient client = client()) {
            String name = newName("fabric8");
            Job job = new JobBuilder().withNewMetadata().withName(name).endMetadata()
                    .withNewSpec().withNewTemplate().withNewSpec().withRestartPolicy("Never")
                    .addNewContainer().withName("main").withImage("busybox").withCommand("echo", "hello").endContainer()
                    .endSpec().endTemplate().endSpec().build();
            client.batch().v1().jobs().inNamespace("default").resource(job).create();
            client.batch().v1().jobs().inNamespace("default").withName(name)
                    .waitUntilCondition(j -> j != null && j.getStatus() != null
                            && Integer.valueOf(1).equals(j.getStatus().getSucceeded()), 60, TimeUnit.SECONDS);
            expectEqual(client.batch().v1().jobs().inNamespace("default").withName(name).getLog(), "hello\n");
        }
    }

    private void watches() throws Exception {
        try (KubernetesClient client = client()) {
            String name = newName("watched");
            LinkedBlockingQueue<String> seen = new LinkedBlockingQueue<>();
            try (Watch watch = client.configMaps().inNamespace("default").withName(name).watch(new Watcher<ConfigMap>() {
                @Override
                public void eventReceived(Action action, ConfigMap map) {
                    seen.add(action + " " + map.getMetadata().getName());
                }

                @Override
                public void onClose(WatcherException cause) {
                    seen.add("closed " + cause);
                }
            })) {
                ConfigMap map = new ConfigMapBuilder().withNewMetadata().withName(name).endMetadata().build();
                client.configMaps().inNamespace("default").resource(map).create();
                expectEqual(seen.poll(30, TimeUnit.SECONDS), "ADDED " + name);
                client.configMaps().inNamespace("default").withName(name).delete();
                expectEqual(seen.poll(30, TimeUnit.SECONDS), "DELETED " + name);
            }
        }
    }

    private Pod startPod(KubernetesClient client, String... command) {
        Pod pod = new PodBuilder().withNewMetadata().withName(newName("pod")).endMetadata()
                .withNewSpec().withRestartPolicy("Never")
                .addNewContainer().withName("main").withImage("busybox").withCommand(command).endContainer()
                .endSpec().build();
        Pod made = client.pods().inNamespace("default").resource(pod).create();
        return client.pods().inNamespace("default").withName(made.getMetadata().getName())
                .waitUntilCondition(p -> p != null && "Running".equals(p.getStatus().getPhase()), 60, TimeUnit.SECONDS);
    }

    private void executes() throws Exception {
        try (KubernetesClient client = client()) {
            Pod pod = startPod(client, "sleep", "300");
            ByteArrayOutputStream output = new ByteArrayOutputStream();
            try (ExecWatch exec = client.pods().resource(pod).redirectingInput().writingOutput(output)
                    .exec("sh", "-c", "read line; echo got $line; exit 3")) {
                exec.getInput().write("hello\n".getBytes(StandardCharsets.UTF_8));
                exec.getInput().flush();
                expectEqual(exec.exitCode().get(30, TimeUnit.SECONDS), 3);
            }
            expectEqual(output.toString(StandardCharsets.UTF_8), "got hello\n");
            client.pods().resource(pod).withGracePeriod(0).delete();
        }
    }

    private void forwards() throws Exception {
        try (KubernetesClient client = client()) {
            Pod pod = startPod(client, "python3", "-c", Official.ECHO_SERVER);
            try (LocalPortForward forward = client.pods().resource(pod).portForward(Official.ECHO_PORT)) {
                Official.awaitEcho(() -> new Socket("127.0.0.1", forward.getLocalPort()));
            }
            client.pods().resource(pod).withGracePeriod(0).delete();
        }
    }

    private void listsUnserved() {
        try (KubernetesClient client = client()) {
            expectEqual(client.apps().deployments().inAnyNamespace().list().getItems().size(), 0);
            expectEqual(client.network().v1().ingresses().inAnyNamespace().list().getItems().size(), 0);
            expectEqual(client.autoscaling().v2().horizontalPodAutoscalers().inAnyNamespace().list().getItems().size(), 0);
            expectEqual(client.apiextensions().v1().customResourceDefinitions().list().getItems().size(), 0);
        }
    }
}
