# Install rules and the package for find_package(Tonno).
