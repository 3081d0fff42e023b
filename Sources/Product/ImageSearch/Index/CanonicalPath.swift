#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The absolute path without symbolic links; the path itself when nothing stands there.
package func canonicalPath(_ path: String) -> String {
  guard let resolved = realpath(path, nil) else { return path }
  defer { free(resolved) }  // the system's memory, copied first
  return String(cString: resolved)
}
