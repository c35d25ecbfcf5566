#include "node/inside/probe_request.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::node {
namespace probe_request_test {

using api::core::Container;

Container container(const std::string& get) {
    return api::from_yaml<Container>("{name: c, ports: [{name: web, containerPort: 8080}], livenessProbe: {httpGet: {" +
                                     get + "}}}")
        .value();
}

std::string url_of(const std::string& get) {
    const Container c = container(get);
    const Result<ProbeUrl> url =
        make_probe_url(*c.liveness_probe->handler.http_get, ActionTarget({"u", "c", 0}, "127.64.0.1", c.ports));
    return url.ok() ? format_url(*url) : url.error().message;
}

TEST(ProbeRequest, GoesWhereTheManifestSays) {
    EXPECT_EQ(url_of("port: 80"), "http://127.64.0.1:80/");
    EXPECT_EQ(url_of("port: web, path: \"/healthz?full=1\""), "http://127.64.0.1:8080/healthz?full=1");
    EXPECT_EQ(url_of("port: 443, scheme: HTTPS, host: example.org, path: live"), "https://example.org:443/live");
    EXPECT_EQ(url_of("port: 80, host: \"::1\""), "http://[::1]:80/");
    EXPECT_EQ(url_of("port: admin"), "couldn't find port: \"admin\"");
    EXPECT_EQ(url_of("port: 70000"), "invalid port number: 70000");
}

TEST(ProbeRequest, CarriesItsHeadersAndAcceptsAll) {
    const auto headers = [](const std::string& get) {
        std::string out;
        for (const auto& each : make_probe_headers(*container(get).liveness_probe->handler.http_get))
            out += each.name + ": " + each.value + ';';
        return out;
    };
    EXPECT_EQ(headers("port: 80"), "Accept: */*;");
    EXPECT_EQ(headers("port: 80, httpHeaders: [{name: X, value: a}, {name: X, value: b}]"), "X: a;X: b;Accept: */*;");
    EXPECT_EQ(headers("port: 80, httpHeaders: [{name: accept, value: text/plain}]"), "accept: text/plain;");
    EXPECT_EQ(headers("port: 80, httpHeaders: [{name: Accept, value: \"\"}]"), "");
}

TEST(ProbeRequest, FollowsRedirects) {
    ProbeUrl from;
    from.host = "127.64.0.1";
    from.port = 8080;
    from.target = "/a/b?c";
    const auto follow = [&](int status, const char* location) {
        const auto to = follow_redirect(from, status, location);
        return to ? format_url(*to) : std::string("nowhere");
    };
    EXPECT_EQ(follow(302, "/x?y"), "http://127.64.0.1:8080/x?y");
    EXPECT_EQ(follow(301, "x"), "http://127.64.0.1:8080/a/x");
    EXPECT_EQ(follow(307, "https://other:8443/z"), "https://other:8443/z");
    EXPECT_EQ(follow(308, "http://127.64.0.1"), "http://127.64.0.1:80/");
    EXPECT_EQ(follow(304, "/x"), "nowhere");
    EXPECT_EQ(follow(302, ""), "nowhere");
}

}  // namespace probe_request_test
}  // namespace muster::node
