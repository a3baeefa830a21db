# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lit's shell tests, of which some measure times.

A folder's lit.local.cfg names the device that its tests time on (`timed_on`), and
the tests that time nothing after all (`untimed`).
"""

import lit.formats


def timing_device(test):
    """Returns the device that the test times on, None if it times nothing."""
    is_untimed = test.path_in_suite[-1] in test.config.untimed
    return None if is_untimed else test.config.timed_on


class TimedFormat(lit.formats.ShTest):
    """Runs every test; only those that time with --param=timed=only, and only the
    others with --param=timed=no."""

    def getTestsInDirectory(self, suite, path, lit_config, local_config):
        wanted = lit_config.params.get("timed")
        for test in super().getTestsInDirectory(suite, path, lit_config, local_config):
            is_timed = timing_device(test) is not None
            if wanted is None or wanted == ("only" if is_timed else "no"):
                yield test
