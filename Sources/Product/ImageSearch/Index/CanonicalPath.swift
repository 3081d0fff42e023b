#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Returns the absolute path without symbolic links; the path itself when it does not exist.
package func canonicalPath(_ path: String) -> String {
  guard let resolved = realpath(path, nil) else { return path }
  defer { free(resolved) }  // allocated by the system, copied first
  return String(cString: resolved)
}
