#include "node/pods/stop_signal.h"

#include <gtest/gtest.h>

#include <csignal>

namespace muster::node {
namespace stop_signal_test {

TEST(StopSignal, NamesAreTheMachinesNumbers) {
    EXPECT_EQ(signal_number("SIGHUP"), SIGHUP);
    EXPECT_EQ(signal_number("SIGUSR2"), SIGUSR2);
    EXPECT_EQ(signal_number("SIGPOLL"), SIGIO);
    EXPECT_EQ(signal_number("SIGSYS"), SIGSYS);
    EXPECT_EQ(signal_number("SIGRTMIN"), SIGRTMIN);
    EXPECT_EQ(signal_number("SIGRTMIN+15"), SIGRTMIN + 15);
    EXPECT_EQ(signal_number("SIGRTMAX-14"), SIGRTMAX - 14);
    EXPECT_EQ(signal_number("nonsense"), SIGTERM);
}

TEST(StopSignal, EveryNameThatTheAPITakesIsKnown) {
    std::string_view names = api::core::kStopSignals;
    int terms = 0;
    while (!names.empty()) {
        const std::size_t bar = names.find('|');
        if (signal_number(names.substr(0, bar)) == SIGTERM) ++terms;
        names = bar == std::string_view::npos ? std::string_view() : names.substr(bar + 1);
    }
    EXPECT_EQ(terms, 1) << "only SIGTERM itself";
}

}  // namespace stop_signal_test
}  // namespace muster::node
