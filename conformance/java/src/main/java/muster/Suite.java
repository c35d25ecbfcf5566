package muster;

import java.util.ArrayList;
import java.util.List;

/** Runs every story of every client, says which failed, and ends with how many did. KUBECONFIG names the server. */
public final class Suite {
    interface Body {
        void run() throws Exception;
    }

    record Story(String sentence, Body body) {}

    static final class Failed extends RuntimeException {
        Failed(String why) {
            super(why);
        }
    }

    static void expect(boolean holds, String why) {
        if (!holds) throw new Failed(why);
    }

    static void expectEqual(Object got, Object wanted) {
        expect(wanted.equals(got), "got " + got + " instead of " + wanted);
    }

    static String newName(String word) {
        return word + "-" + Long.toString(System.nanoTime(), 36);
    }

    public static void main(String[] arguments) throws Exception {
        String kubeconfig = System.getenv("KUBECONFIG");
        List<Story> stories = new ArrayList<>();
        stories.addAll(new Fabric8(kubeconfig).stories());
        stories.addAll(new Official(kubeconfig).stories());
        int failed = 0;
        for (Story story : stories) {
            long began = System.nanoTime();
            try {
                story.body().run();
                System.out.printf("ok   %s (%d ms)%n", story.sentence(), (System.nanoTime() - began) / 1_000_000);
            } catch (Throwable thrown) {
                failed++;
                System.out.printf("FAIL %s: %s%n", story.sentence(), thrown);
                thrown.printStackTrace(System.out);
            }
        }
        System.out.printf("%d stories, %d failed%n", stories.size(), failed);
        System.exit(failed == 0 ? 0 : 1);
    }
}
