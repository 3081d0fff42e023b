import ArgumentParser

/// Options of every command.
struct GeneralOptions: ParsableArguments {
  @Flag(help: "Print the result as JSON.")
  var json = false

  @Flag(help: "Print results and errors only.")
  var quiet = false
}
