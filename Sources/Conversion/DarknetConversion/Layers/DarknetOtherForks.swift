package import DarknetFormat

/// What is known of forks of darknet other than AlexeyAB's and pjreddie's: keys and sections that
/// stand in their `.cfg` files.
package enum DarknetOtherForks {
  /// Whether a key of `[net]` that neither fork knows is a setting for training, which cannot change
  /// what the network computes: one of its words has a meaning in training only, or it is the number
  /// of labels.
  package static func isForTraining(_ key: String) -> Bool {
    key == "classes"
      || key.split(separator: "_").contains { trainingWords.contains($0.lowercased()) }
  }

  /// Words that stand in names of settings for optimizers, their schedules, losses, statistics and
  /// augmentation only. `learning_rate_poly_power`, `max_epoch`, `accuracy_count_max` and `jitter`
  /// are read in `[net]` by the forks that came of pjreddie's with OpenCL; the others stand in the
  /// `[net]` of `.cfg` files that are trained with PyTorch. Keys for the input and the output
  /// (`depth`, `mean_value`, `output_layer`) have none of them.
  private static let trainingWords: Set<String> = [
    "accuracy", "adam", "adamw", "augment", "augmentation", "checkpoint", "cutmix", "decay", "ema",
    "epoch", "epochs", "grad", "gradient", "iter", "iterations", "iters", "jitter", "learning",
    "loss", "lr", "mixup", "momentum", "mosaic", "nesterov", "optimizer", "patience", "policy",
    "rmsprop", "scheduler", "sgd", "sgdr", "shuffle", "train", "training", "val", "validation",
    "warmup", "workers",
  ]

  /// Explains the key with which rubensrech/darknet chooses the precision of a layer on a GPU; the
  /// function and the weights, which are float32 in the file, are the same in any. `nil` for other
  /// keys and values.
  package static func precision(_ option: DarknetOption) -> String? {
    guard option.key == "real", ["16", "32", "64"].contains(option.value) else { return nil }
    return "real=\(option.value) is not used: it chooses the precision in which a fork of darknet "
      + "computes on a GPU, and all is float32 here"
  }

  /// A section that neither fork knows, in darknet's own words.
  package struct Section: Sendable {
    /// The section's name in darknet.
    package let name: String
    /// The options that the name stands for.
    let options: [(key: String, value: String)]

    /// `[route] with groups=2 and group_id=0`.
    var title: String {
      let texts = options.map { "\($0.key)=\($0.value)" }
      return "[\(name)]" + (texts.isEmpty ? "" : " with \(texts.joined(separator: " and "))")
    }

    /// The only fork that knows the options; `nil` if both do.
    var onlyFork: DarknetFork? {
      options.lazy.compactMap { DarknetKeys.onlyFork(knowing: $0.key, in: name) }.first
    }

    /// Returns a section with the options, which are not in the file.
    func applied(to section: DarknetSection) -> DarknetSection {
      DarknetSection(
        name: section.name, line: section.line,
        options: options.map { DarknetOption(key: $0.key, value: $0.value, line: section.line) }
          + section.options)
    }
  }

  /// Returns a section with the options that its name stands for.
  static func explained(_ section: DarknetSection) -> DarknetSection {
    sections[section.name]?.applied(to: section) ?? section
  }

  /// The first half of the channels, from the `.cfg` files of WongKinYiu/PyTorch_YOLOv4; the boxes
  /// of YOLOv4 in sowson/darknet.
  package static let sections: [String: Section] = [
    "route_lhalf": Section(
      name: "route", options: [("groups", "2"), ("group_id", "0")]),
    "yolo4": Section(name: "yolo", options: []),
  ]
}
