# find_package(rankwise): the targets rankwise::placement and rankwise::monitoring.
get_filename_component(_rankwise_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET rankwise::placement)
  add_library(rankwise::placement INTERFACE IMPORTED)
  set_target_properties(rankwise::placement PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${_rankwise_prefix}/include"
    INTERFACE_LINK_LIBRARIES "${_rankwise_prefix}/lib/librankwise_placement.so.@RANKWISE_INTERFACE@")

  # RATIONALE: the options are one text, because CMake would remove the second of two equal ones.
  add_library(rankwise::monitoring INTERFACE IMPORTED)
  set_target_properties(rankwise::monitoring PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${_rankwise_prefix}/include"
    INTERFACE_LINK_LIBRARIES "-L${_rankwise_prefix}/lib -Wl,-rpath,${_rankwise_prefix}/lib -Wl,--no-as-needed -lrankwise -lrankwise_monitoring")
endif()
unset(_rankwise_prefix)
