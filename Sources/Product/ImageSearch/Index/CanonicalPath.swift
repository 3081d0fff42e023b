#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Returns the absolute path without symbolic links; the path itself when it does not exist.
package func canonicalPath(_ path: String) -> String {
  guard let resolved = unsafe realpath(path, nil) else { return path }
  defer { unsafe free(resolved) }  // allocated by the system, copied first
  return unsafe String(cString: resolved)
}
