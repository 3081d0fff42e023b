package import DarknetFormat

/// What is known about the keys and sections of darknet's forks beyond what the builders read.
package enum DarknetKeys {
  /// The full name of a section for each of its aliases.
  package static let aliases: [String: String] = [
    "avg": "avgpool", "conn": "connected", "conv": "convolutional", "deconv": "deconvolutional",
    "local_avg": "local_avgpool", "lrn": "normalization", "max": "maxpool", "silence": "empty",
    "soft": "softmax", "network": "net", "Gaussian_yolo": "gaussian_yolo",
  ]

  /// Sections that only one fork knows.
  package static let exclusiveSections: [String: DarknetFork] = [
    "reorg3d": .alexeyab, "local_avgpool": .alexeyab, "gaussian_yolo": .alexeyab,
    "scale_channels": .alexeyab, "sam": .alexeyab, "implicit": .alexeyab, "empty": .alexeyab,
    "contrastive": .alexeyab, "conv_lstm": .alexeyab, "history": .alexeyab,
    "deconvolutional": .pjreddie, "l2norm": .pjreddie, "logistic": .pjreddie, "iseg": .pjreddie,
  ]

  /// The only fork that knows a key; `nil` when both do, or neither.
  package static func onlyFork(knowing key: String, in section: String) -> DarknetFork? {
    if alexeyab[section]?.contains(key) == true { return .alexeyab }
    return pjreddie[section]?.contains(key) == true ? .pjreddie : nil
  }

  /// Whether a key has no effect in inference.
  package static func hasNoEffect(_ key: String, in section: String) -> Bool {
    trainingKeys.contains(key) || keysWithoutEffect[section]?.contains(key) == true
  }

  /// Keys of all sections that have an effect in training only.
  private static let trainingKeys = keys(
    """
    clip onlyforward dont_update burnin_update stopbackward train_only_bn learning_rate truth \
    dontsave smooth stream wait_stream
    """)

  /// Keys that only AlexeyAB's darknet knows.
  private static let alexeyab: [String: Set<String>] = [
    "net": keys(
      """
      learning_rate_min sgdr_cycle sgdr_mult seq_scales flip blur gaussian_noise mosaic \
      mosaic_bound cutmix mixup letter_box ema_alpha label_smooth_eps try_fix_nan track \
      augment_speed sequential_subdivisions weights_reject_freq equidistant_point \
      badlabels_rejection_percentage num_sigmas_reject_badlabels dynamic_minibatch \
      optimized_memory workspace_size_limit_MB contrastive contrastive_jit_flip \
      contrastive_color unsupervised resize_step attention adversarial_lr max_chart_loss \
      show_receptive_field use_cuda_graph loss_scale
      """),
    "convolutional": keys(
      """
      stride_x stride_y dilation cbn antialiasing share_index bin_output coordconv sway rotate \
      stretch stretch_sway angle reverse assisted_excitation grad_centr deform
      """),
    "maxpool": keys(
      "stride_x stride_y maxpool_depth out_channels antialiasing maxpool_zero_nonmax"),
    "dropout": keys("dropblock dropblock_size_rel dropblock_size_abs"),
    "route": keys("groups group_id"),
    "shortcut": keys("weights_type weights_normalization"),
    "region": keys("focal_loss"),
    "rnn": keys("logistic"),
    "yolo": keys(
      """
      scale_x_y new_coords iou_loss iou_thresh iou_thresh_kind iou_normalizer obj_normalizer \
      cls_normalizer delta_normalizer uc_normalizer nms_kind beta_nms counters_per_class \
      max_delta label_smooth_eps objectness_smooth focal_loss resize show_details \
      embedding_layer track_history_size sim_thresh dets_for_show dets_for_track track_ciou_norm
      """),
  ]

  /// Keys that only pjreddie's darknet knows.
  private static let pjreddie: [String: Set<String>] = [
    "net": keys("notruth random max_ratio min_ratio center"),
    "shortcut": keys("alpha beta"),
    "reorg": keys("extra flatten"),
    "region": keys("background"),
    "gru": keys("tanh"),
    "crnn": keys("output_filters hidden_filters"),
  ]

  /// Keys for training, and keys that darknet reads but does not use on a CPU, by section.
  private static let keysWithoutEffect: [String: Set<String>] = [
    "net": keys(
      """
      batch subdivisions time_steps learning_rate momentum decay max_batches policy step scale \
      steps scales gamma power burn_in adam B1 B2 eps angle aspect saturation exposure hue \
      min_crop max_crop seen max_epochs learning_rate_min sgdr_cycle sgdr_mult seq_scales flip \
      blur gaussian_noise mosaic mosaic_bound cutmix mixup ema_alpha label_smooth_eps \
      try_fix_nan track augment_speed sequential_subdivisions weights_reject_freq \
      equidistant_point badlabels_rejection_percentage num_sigmas_reject_badlabels \
      dynamic_minibatch optimized_memory workspace_size_limit_MB contrastive \
      contrastive_jit_flip contrastive_color unsupervised resize_step attention \
      adversarial_lr max_chart_loss notruth random max_ratio min_ratio center \
      show_receptive_field use_cuda_graph loss_scale
      """),
    "convolutional": keys(
      """
      binary bin_output coordconv sway rotate stretch stretch_sway angle reverse \
      assisted_excitation dot grad_centr deform
      """),
    "maxpool": keys("maxpool_zero_nonmax"),
    "dropout": keys("probability dropblock dropblock_size_rel dropblock_size_abs"),
    "cost": keys("type scale ratio thresh noobj smooth"),
    "crop": keys("flip angle saturation exposure shift"),
    "implicit": keys("mean std"),
    "softmax": keys("noloss"),
    "yolo": yoloTrainingKeys, "gaussian_yolo": yoloTrainingKeys,
    "region": keys(
      """
      bias_match log sqrt map max jitter resize rescore object_scale noobject_scale class_scale \
      mask_scale coord_scale absolute thresh random num_classes focal_loss
      """),
    "detection": keys(
      """
      rescore reorg jitter object_scale noobject_scale class_scale coord_scale max \
      forced random resize
      """),
    "contrastive": keys(
      "classes temperature yolo_layer cls_normalizer max_delta steps detection contrastive_neg_max"),
  ]

  private static let yoloTrainingKeys = keys(
    """
    max map jitter ignore_thresh truth_thresh random iou_loss iou_thresh iou_thresh_kind \
    iou_normalizer obj_normalizer cls_normalizer delta_normalizer uc_normalizer nms_kind \
    beta_nms beta1 counters_per_class max_delta label_smooth_eps objectness_smooth focal_loss \
    resize show_details embedding_layer track_history_size sim_thresh dets_for_show \
    dets_for_track track_ciou_norm yolo_point
    """)

  private static func keys(_ text: String) -> Set<String> {
    Set(text.split(separator: " ").map(String.init))
  }
}
