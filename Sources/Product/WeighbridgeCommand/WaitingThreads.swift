#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How the threads of oneDNN, which are OpenMP's, wait for each other.
enum WaitingThreads {
  /// The turns of a loop, about 0.1 ms, after which a waiting thread sleeps.
  private static let turns = "10000"

  /// Has them sleep soon, unless the user says something else. GNU's OpenMP lets them turn for 3 ms,
  /// which on a machine with other work takes the processor from the thread that is waited for: a
  /// ResNet50 of 40 ms then takes 550. It reads the setting when it is loaded.
  static func prepare() {
    guard getenv("GOMP_SPINCOUNT") == nil, getenv("OMP_WAIT_POLICY") == nil else { return }
    setenv("GOMP_SPINCOUNT", turns, 0)
  }
}
