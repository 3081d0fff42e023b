#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Whether anything stands at a path.
package func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
